//! Twenty tests, three of which fail in their first execution.

use std::io::Write;

/// The number of this execution of the test, from 1. Each execution is a line of a file.
pub fn ran(name: &str) -> usize {
    let path = std::env::var("EXECUTIONS").unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path).unwrap();
    file.write_all(format!("{name}\n").as_bytes()).unwrap();
    std::fs::read_to_string(&path).unwrap().lines().filter(|line| *line == name).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_0() {
        ran("adds-0");
    }

    #[test]
    fn adds_1() {
        ran("adds-1");
    }

    #[test]
    fn adds_2() {
        ran("adds-2");
    }

    #[test]
    fn adds_3() {
        ran("adds-3");
    }

    #[test]
    fn adds_4() {
        ran("adds-4");
    }

    #[test]
    fn adds_5() {
        ran("adds-5");
    }

    #[test]
    fn adds_6() {
        ran("adds-6");
    }

    #[test]
    fn adds_7() {
        ran("adds-7");
    }

    mod größe {
        use crate::ran;

        #[test]
        fn r#true() {
            assert!(ran("takes") > 1, "the shelf is empty");
        }

        #[test]
        fn r#true_too() {
            ran("adds-8");
        }
    }
}
