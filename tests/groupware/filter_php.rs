//! Comparisons of strings, by every operator that orders or equates them, as in a real PHP
//! (`data/php/README.md`). PHP compares numeric strings as numbers, unless that would lose digits.

use portreeve::groupware::MatchResult;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::filter_match::judged_on_trust;

#[derive(Deserialize)]
struct Recorded {
    rows: Vec<(String, String)>,
}

/// `None` if it is undecidable.
fn decided(value: &Value, condition: &Value) -> Option<bool> {
    let found = judged_on_trust(&json!({"event.v": condition}), &json!({"v": value}));
    match found.result {
        MatchResult::Matches => Some(true),
        MatchResult::DoesNotMatch => Some(false),
        MatchResult::Unknown => None,
        MatchResult::Refused => panic!("{value} {condition}: {found:?}"),
    }
}

fn holds(value: &Value, condition: &Value) -> bool {
    decided(value, condition).unwrap_or_else(|| panic!("{value} {condition}"))
}

/// Whether a text is a number beyond 64 bits.
fn is_large(text: &str) -> bool {
    let number: Result<f64, _> = text.trim().parse();
    number.is_ok_and(|number| number.abs() >= 9_223_372_036_854_775_807.0)
}

#[test]
fn strings_are_ordered_as_php_orders_them() {
    let recorded: Recorded = serde_json::from_str(include_str!("../data/php/texts.json")).unwrap();
    let rows = &recorded.rows;
    assert!(rows.len() > 50);
    let (mut all, mut undecidable) = (0, 0);
    let mut check = |value: Value, condition: Value, expected: bool, is_large: bool| {
        let found = decided(&value, &condition);
        all += 1;
        undecidable += usize::from(found.is_none());
        let is_right = found.map_or(is_large, |found| found == expected);
        assert!(is_right, "{value} {condition}: {found:?}");
    };
    for (one, order) in rows {
        assert_eq!(order.len(), rows.len());
        for ((other, _), order) in rows.iter().zip(order.chars()) {
            let is_large = is_large(one) || is_large(other);
            for (operator, expected) in [
                ("$lt", order == '<'),
                ("$lte", order != '>'),
                ("$gt", order == '>'),
                ("$gte", order != '<'),
            ] {
                check(json!(one), json!({ operator: other }), expected, is_large);
            }
            // Elements of lists, and of objects within.
            for (value, condition) in
                [(json!([one]), json!(other)), (json!({"a": one}), json!({"$e": {"a": other}}))]
            {
                check(value, condition, order == '=', is_large);
            }
            // A plain value must be the same string.
            assert_eq!(holds(&json!(one), &json!(other)), one == other);
        }
    }
    assert!(undecidable * 10 < all, "{undecidable} of {all}");
}

#[test]
fn api_4_8_what_php_makes_of_numbers_beyond_64_bits_is_undecidable() {
    for (value, condition) in [
        (json!(1e19), json!({"$mod": [7, 1]})),
        (json!("99999999999999999999"), json!({"$mod": [7, 1]})),
        (json!(["9223372036854775808"]), json!("9223372036854775808.0")),
        (json!([1e20]), json!("1e20")),
        (json!(1e20), json!("/^1/")),
        // PHP takes the number at its start.
        (json!("12 apples"), json!({"$mod": [7, 1]})),
    ] {
        assert_eq!(decided(&value, &condition), None, "{value} {condition}");
    }
    assert!(holds(&json!("9223372036854775807"), &json!({"$mod": [7, 0]})));
    assert!(holds(&json!("9223372036854775808"), &json!({"$gt": 5})));
}

#[test]
fn numbers_and_texts_are_converted_as_by_php() {
    for (number, text) in
        [(json!(-3), "-3"), (json!(1.0), "1"), (json!(1.5), "1.5"), (json!(-0.0), "-0")]
    {
        let text = text.replace('.', "\\.").replace('+', "\\+");
        assert!(holds(&number, &json!(format!("/^{text}$/"))), "{text}");
    }
    for (text, remainder) in [(" -7 ", -7), ("1.9e1", 9), (".5", 0)] {
        assert!(holds(&json!(text), &json!({"$mod": [10, remainder]})), "{text}");
    }
    for (text, number) in [("+5", 5), ("007", 7), ("5.", 5), ("1E-1\n", 0)] {
        let is_equal = holds(&json!([text]), &json!(number));
        assert_eq!(is_equal, number > 0, "{text}");
    }
    for text in ["", " ", ".", "-", "e3", "1e", "0x1A", "12 a", "1 2"] {
        // As a text, since it is no number.
        assert!(holds(&json!(text), &json!({"$lt": "z"})), "{text}");
        assert!(!holds(&json!([text]), &json!(12)), "{text}");
    }
}
