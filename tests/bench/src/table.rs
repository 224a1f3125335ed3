//! The result: a row for each kind of work, with its bar and whether it was met.

use stack::measure::{ProcessorTime, load_average};

/// One line of the table.
pub struct Row {
    pub work: &'static str,
    pub figure: String,
    pub bar: &'static str,
    /// None where the bar is a comparison that was not possible here.
    pub met: Option<bool>,
}

impl Row {
    /// A figure that is only shown.
    pub fn without_bar(work: &'static str, figure: String) -> Self {
        Self { work, figure, bar: "none", met: None }
    }
}

pub struct Table {
    rows: Vec<Row>,
    began: ProcessorTime,
    last: ProcessorTime,
}

impl Table {
    pub fn new() -> Self {
        let began = ProcessorTime::now();
        Self { rows: Vec::new(), began, last: began }
    }

    pub fn add(&mut self, row: Row) {
        eprintln!("   {}: {}; {:.1} % of the time stolen", row.work, row.figure, self.last.stolen_since());
        self.last = ProcessorTime::now();
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
        let stolen = self.began.stolen_since();
        println!(
            "\nLoad average: {}; {stolen:.1} % of the processors' time was stolen by the host",
            load_average()
        );
    }
}
