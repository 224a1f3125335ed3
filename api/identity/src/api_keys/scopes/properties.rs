//! Property test of the creation rules with random creators and requests. The rules are implemented a second
//! time, on texts only (reference/credentials.md#key-scopes).

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::*;

const CASES: u64 = 2000;
const DENIED: [&str; 4] = ["apikeys:create", "apikeys:edit", "tokens:create", "account:delete"];
/// Scopes that no key may carry, and texts that resemble valid scopes.
const STRANGE: [&str; 12] = [
    "",
    ":",
    "*",
    "*:*",
    "chat",
    "chat:",
    ":read",
    "chat:*:*",
    "nothing:*",
    "chat:nothing",
    "CHAT:read",
    "ideas:moderate_edit",
];

/// Every text that names a permission of the kind.
fn registry(kind: ApiKeyKind) -> Vec<&'static str> {
    let account = AccountPermission::ALL.iter().map(|permission| permission.as_str());
    let user = UserPermission::ALL.iter().map(|permission| permission.as_str());
    let user = user.filter(|text| kind == ApiKeyKind::Personal && !text.contains(":moderate_"));
    account.chain(user).collect()
}

/// Permissions that a request stands for, or the first text that is refused.
fn expanded(kind: ApiKeyKind, asked: &[String]) -> Result<BTreeSet<&'static str>, &str> {
    let registry = registry(kind);
    let mut all = BTreeSet::new();
    for text in asked {
        let expansion: Vec<&'static str> = match text.strip_suffix('*') {
            Some("" | "*:") => vec!["*"],
            Some(prefix) if prefix.ends_with(':') && prefix.matches(':').count() == 1 => {
                registry.iter().copied().filter(|known| known.starts_with(prefix)).collect()
            }
            _ => registry.iter().copied().filter(|known| *known == text).collect(),
        };
        if expansion.is_empty() || expansion.iter().any(|permission| DENIED.contains(permission)) {
            return Err(text);
        }
        all.extend(expansion);
    }
    Ok(all)
}

/// A creator with random permissions, mostly of whole resources, so that wildcards are held now and then.
fn creator(random: &mut StdRng) -> (AccountScopes, UserScopes) {
    let mut account = AccountScopes::empty();
    let share = random.random_range(0.0..1.0);
    let mut resources = BTreeSet::new();
    for permission in AccountPermission::ALL {
        resources.insert(permission.resource());
    }
    for resource in resources {
        let whole = random.random_bool(share);
        for permission in AccountPermission::ALL.iter().filter(|p| p.resource() == resource) {
            if whole || random.random_bool(share / 2.0) {
                account.insert(*permission);
            }
        }
    }
    let user = UserPermission::ALL.iter().copied().filter(|_| random.random_bool(share)).collect();
    (account, user)
}

fn request(random: &mut StdRng) -> Vec<String> {
    let registry = registry(ApiKeyKind::Personal);
    let count = random.random_range(0..6);
    let mut asked = Vec::new();
    for _ in 0..count {
        let known = registry[random.random_range(0..registry.len())];
        asked.push(match random.random_range(0..20) {
            0 => STRANGE[random.random_range(0..STRANGE.len())].to_owned(),
            1 => DENIED[random.random_range(0..DENIED.len())].to_owned(),
            2..=7 => format!("{}:*", known.split_once(':').map_or("", |(resource, _)| resource)),
            _ => known.to_owned(),
        });
    }
    asked
}

/// Permissions of a key with these texts while its person holds every permission.
fn carried(texts: &[String], kind: ApiKeyKind) -> (AccountScopes, UserScopes) {
    let user: UserScopes = PermissionSet::from_strings(texts);
    (PermissionSet::from_strings(texts), user.intersection(&user_permissions(kind)))
}

#[test]
fn scopes_of_a_key_are_of_the_registry_and_never_exceed_its_creator() {
    let (mut refused, mut over, mut made) = (0, 0, 0);
    for case in 0..CASES {
        let mut random = StdRng::seed_from_u64(case);
        let kind = if random.random_bool(0.5) { ApiKeyKind::Personal } else { ApiKeyKind::Service };
        let ((account, user), asked) = (creator(&mut random), request(&mut random));
        let context = format!("case {case}: {kind:?} {asked:?}");

        // Rules 1 and 3: the registry.
        let scopes = match (Scopes::parse(kind, &asked), expanded(kind, &asked)) {
            (Err(error), Err(text)) => {
                assert_eq!(error, ApiError::invalid(format!("Invalid permission: {text}")), "{context}");
                refused += 1;
                continue;
            }
            (Ok(scopes), Ok(_)) => scopes,
            (parsed, expected) => panic!("{context}: {parsed:?} instead of {expected:?}"),
        };
        // Rules 2 and 4: the subset, and the expansion of wildcards.
        let held: BTreeSet<String> = account.to_strings().into_iter().chain(user.to_strings()).collect();
        let asked_for = expanded(kind, &asked).unwrap_or_default();
        let may = asked_for.iter().all(|permission| held.contains(*permission));
        assert_eq!(scopes.lacking(&account, &user).is_none(), may, "{context}");
        if !may {
            over += 1;
            continue;
        }
        made += 1;
        // The stored scopes are the requested ones and give no more than the creator holds.
        let texts = scopes.texts();
        assert_eq!(
            texts.iter().collect::<BTreeSet<_>>(),
            asked.iter().collect::<BTreeSet<_>>(),
            "{context}: nothing is added or lost"
        );
        let (key_account, key_user) = carried(texts, kind);
        assert!(key_account.is_subset(&account) && key_user.is_subset(&user), "{context}");
        let gives: BTreeSet<String> =
            key_account.to_strings().into_iter().chain(key_user.to_strings()).collect();
        assert_eq!(gives, asked_for.into_iter().map(str::to_owned).collect(), "{context}");
        assert!(DENIED.iter().all(|denied| !gives.contains(*denied)), "{context}");
        // A key made with these scopes can make no wider key. A holder of all permissions can make the same
        // key.
        assert_eq!(scopes.lacking(&key_account, &key_user), None, "{context}");
        assert_eq!(scopes.lacking(&AccountScopes::all(), &UserScopes::all()), None, "{context}");
    }
    assert!(refused > 100 && over > 100 && made > 100, "{refused} refused, {over} over-reached, {made} made");
}
