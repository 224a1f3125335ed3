//! The result: a row for each kind of work, with its bar and whether it was met.

use stack::measure::load_average;

/// One line of the table.
pub struct Row {
    pub work: &'static str,
    pub figure: String,
    pub bar: &'static str,
    /// None where the bar is a comparison that could not be made here.
    pub met: Option<bool>,
}

#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub fn add(&mut self, row: Row) {
        eprintln!("   {}: {}", row.work, row.figure);
        self.rows.push(row);
    }

    pub fn print(&self) {
        println!("| Work | Measured | Bar | Met |\n|---|---|---|---|");
        for row in &self.rows {
            let met = match row.met {
                Some(true) => "yes",
                Some(false) => "**no**",
                None => "–",
            };
            println!("| {} | {} | {} | {met} |", row.work, row.figure, row.bar);
        }
        println!("\nLoad average: {}", load_average());
    }
}
