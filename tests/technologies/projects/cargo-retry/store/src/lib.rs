//! In another package, tests have the same names.

#[cfg(test)]
mod tests {
    use cart::ran;

    #[test]
    fn adds_0() {
        ran("adds-10");
    }

    #[test]
    fn adds_1() {
        ran("adds-11");
    }

    #[test]
    fn adds_2() {
        ran("adds-12");
    }

    #[test]
    fn adds_3() {
        ran("adds-13");
    }

    #[test]
    fn adds_4() {
        ran("adds-14");
    }

    #[test]
    fn adds_5() {
        ran("adds-15");
    }
}
