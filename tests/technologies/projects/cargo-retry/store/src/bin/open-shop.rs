fn main() {}

#[test]
fn opens() {
    cart::ran("adds-16");
}

#[test]
fn holds() {
    assert!(cart::ran("holds") > 1, "the shelf is empty");
}
