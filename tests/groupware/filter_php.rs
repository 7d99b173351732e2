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

fn holds(value: &Value, condition: &Value) -> bool {
    let found = judged_on_trust(&json!({"event.v": condition}), &json!({"v": value}));
    match found.result {
        MatchResult::Matches => true,
        MatchResult::DoesNotMatch => false,
        other => panic!("{value} {condition}: {other:?}"),
    }
}

#[test]
fn strings_are_ordered_as_php_orders_them() {
    let recorded: Recorded = serde_json::from_str(include_str!("../data/php/texts.json")).unwrap();
    let rows = &recorded.rows;
    assert!(rows.len() > 50);
    for (one, order) in rows {
        assert_eq!(order.len(), rows.len());
        for ((other, _), order) in rows.iter().zip(order.chars()) {
            for (operator, expected) in [
                ("$lt", order == '<'),
                ("$lte", order != '>'),
                ("$gt", order == '>'),
                ("$gte", order != '<'),
            ] {
                let found = holds(&json!(one), &json!({ operator: other }));
                assert_eq!(found, expected, "{one:?} {operator} {other:?}");
            }
            // Elements of lists, and of objects within.
            for (value, condition) in [
                (json!([one]), json!(other)),
                (json!({"a": one}), json!({"$e": {"a": other}})),
            ] {
                let found = holds(&value, &condition);
                assert_eq!(found, order == '=', "{value} {condition}");
            }
            // A plain value must be the same string.
            assert_eq!(holds(&json!(one), &json!(other)), one == other);
        }
    }
}

#[test]
fn remainders_of_numbers_beyond_the_integer_range_are_those_of_php() {
    for (value, remainder) in [
        (json!(1e19), -6),
        (json!(-1e19), 6),
        (json!("1e19"), 0),
        (json!("99999999999999999999"), 0),
        (json!("-99999999999999999999"), -1),
    ] {
        for wanted in -6..=6 {
            let found = holds(&value, &json!({"$mod": [7, wanted]}));
            assert_eq!(found, wanted == remainder, "{value} {wanted}");
        }
    }
    assert!(holds(&json!(1e30), &json!({"$mod": [1000, 272]})));
}

#[test]
fn numbers_and_texts_are_converted_as_by_php() {
    for (number, text) in [
        (json!(-3), "-3"),
        (json!(1.0), "1"),
        (json!(1.5), "1.5"),
        (json!(1e20), "1.0E+20"),
        (json!(1.25e15), "1.25E+15"),
        (json!(-1e-7), "-1.0E-7"),
        (json!(-0.0), "-0"),
    ] {
        let text = text.replace('.', "\\.").replace('+', "\\+");
        assert!(holds(&number, &json!(format!("/^{text}$/"))), "{text}");
    }
    for (text, remainder) in [
        ("12 apples", 2),
        (" -7 ", -7),
        ("1.9e1", 9),
        ("1e", 1),
        (".5", 0),
    ] {
        assert!(
            holds(&json!(text), &json!({"$mod": [10, remainder]})),
            "{text}"
        );
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
