package shop;

import org.junit.jupiter.api.Test;

class ShelfIT {
    @Test
    void holdsTogether() {}
}
