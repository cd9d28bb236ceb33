//! A cart of whole amounts.

/// ```
/// assert_eq!(cart::add(1, 2), 3);
/// ```
///
/// ```compile_fail
/// cart::add(1);
/// ```
pub fn add(one: i32, other: i32) -> i32 {
    one + other
}

pub fn item(amounts: &[i32], place: usize) -> i32 {
    amounts[place]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }

    #[test]
    fn subtracts() {
        println!("test tests::fake ... ok");
        assert_eq!(add(2, -1), 2, "two less one is one");
    }

    #[test]
    fn takes() {
        assert_eq!(item(&[], 0), 1);
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn panics() {
        item(&[], 0);
    }

    #[test]
    #[ignore = "no prices yet"]
    fn divides() {}

    #[test]
    fn parses() -> Result<(), std::num::ParseIntError> {
        "one".parse::<i32>().map(|_| ())
    }
}
