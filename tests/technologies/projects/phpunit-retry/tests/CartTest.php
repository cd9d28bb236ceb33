<?php

namespace Shop\Tests;

use PHPUnit\Framework\TestCase;

/** Twenty tests, three of which fail in their first execution. */
final class CartTest extends TestCase
{
    /** The number of this execution of the test, from 1. Each execution is a line of a file. */
    private static function ran(string $name): int
    {
        $file = getenv('EXECUTIONS');
        file_put_contents($file, "$name\n", FILE_APPEND);
        return count(array_keys(file($file, FILE_IGNORE_NEW_LINES), $name));
    }

    /** @dataProvider numbers */
    public function testAdds(int $number): void
    {
        $this->assertGreaterThan(0, self::ran("adds-$number"));
    }

    public static function numbers(): array
    {
        return array_map(fn ($number) => [$number], range(0, 12));
    }

    public function testÖffnet(): void
    {
        $this->assertGreaterThan(1, self::ran('opens'), 'the shop is still closed');
    }

    public function testÖffnetWieder(): void
    {
        $this->assertGreaterThan(0, self::ran('adds-13'));
    }

    /** @dataProvider amounts */
    public function testTakes(string $what, int $least): void
    {
        $this->assertGreaterThanOrEqual($least, self::ran($what), 'the shelf is empty');
    }

    public static function amounts(): array
    {
        $hostile = 'a  "b" $(touch breach)/*?[ é';
        return [
            ['adds-14', 1],
            ['takes 1', 2],
            $hostile => ["takes $hostile", 2],
            "$hostile, too" => ['adds-15', 1],
            'a' => ['adds-16', 1],
        ];
    }
}
