<?php
// Prints, for each pattern on standard input (one a line), which of some texts it matches under PHP: for
// each kind of letter the lengths around each number in the pattern. See README.md.
const LETTERS = ["a", "/", "\r\n", "я", "\x01", "\u{1f600}"];
$rows = [];
while (($pattern = fgets(STDIN)) !== false) {
    $pattern = rtrim($pattern, "\n");
    preg_match_all('/\{(?:\d+,)?(\d+)\}/', $pattern, $numbers);
    $lengths = [0, 1];
    foreach ($numbers[1] as $number) {
        $lengths = [...$lengths, $number - 2, $number - 1, (int)$number, $number + 1];
    }
    sort($lengths);
    $found = [];
    foreach (LETTERS as $letter) {
        foreach (array_unique(array_filter($lengths, fn($it) => $it >= 0)) as $length) {
            $text = str_repeat($letter, intdiv($length, strlen($letter)));
            $text .= str_repeat("a", $length - strlen($text));
            $matches = preg_match($pattern, $text);
            if ($matches === false) {
                throw new Exception("$pattern: " . preg_last_error_msg());
            }
            $found[] = [$letter, $length, $matches];
        }
    }
    $rows[] = [$pattern, $found];
}
$lines = array_map(fn($row) => json_encode($row), $rows);
echo "[\n", implode(",\n", $lines), "\n]\n";
