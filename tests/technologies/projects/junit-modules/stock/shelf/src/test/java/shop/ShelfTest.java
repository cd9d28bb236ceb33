package shop;

import org.junit.jupiter.api.Test;

class ShelfTest {
    @Test
    void holds() {}
}
