package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CartTest {
    @Test
    void adds() {
        assertEquals(3, 1 + 1, "one and one is two");
    }
}
