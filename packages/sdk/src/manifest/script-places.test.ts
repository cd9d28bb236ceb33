/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so. */
import { describe, expect, test } from 'vitest';
import { badPlaces } from './script-places.ts';

const at = (script: string, language: 'bash' | 'cmd') =>
  badPlaces(script, language).map(({ message }) =>
    message.replace(/^an expression | cannot.*$/g, ''),
  );

describe('in a script for bash, an expression', () => {
  test.each([
    ['run ${{ x }}'],
    ['run --file=${{ x }}/pom.xml && more ${{ y }}'],
    ['run "quoted" \'too\' ${{ x }}'],
    ['run "$(date)"\n'],
    ['x=$(run ${{ x }})'],
    ["# a comment with a quote: don't\nrun ${{ x }}"],
    ['echo "\\"" ${{ x }}'],
    ['echo a#b ${{ x }}'],
    ['if [ ${{ x }} = y ]; then run "${A}" ${{ x }}; fi'],
    ['run \\\n  ${{ x }}'],
    ['latest ${{ x }}'],
  ])('can stand in %j', (script) => {
    expect(at(script, 'bash')).toEqual([]);
  });

  test.each([
    ['run "${{ x }}"', 'within quotes'],
    ["run '${{ x }}'", 'within quotes'],
    ['run "a ${{ x }} b"', 'within quotes'],
    ['# ${{ x }}', 'in a comment'],
    ['run \\${{ x }}', 'right after "\\"'],
    ['run $${{ x }}', 'right after "$"'],
    ['cat <<EOF\n${{ x }}\nEOF', 'after "<<"'],
    ['echo $((1 + ${{ x }}))', 'after "(("'],
    ['[[ ${{ x }} -eq 1 ]]', 'after "[["'],
    ['`run ${{ x }}`', 'after a backquote'],
    ['eval ${{ x }}', 'after a command that reads its words again'],
    ['bash -c ${{ x }}', 'after a shell'],
    ['echo "$(run "${{ x }}")"', 'after "$(" in quotes'],
    ['echo "${A:-"b"}" ${{ x }}', 'after "$(" in quotes'],
    ["echo $'a' ${{ x }}", 'after a text in $ and quotes'],
  ])('cannot stand in %j', (script, where) => {
    expect(at(script, 'bash')).toEqual([where]);
  });
});

describe('in a script for cmd, an expression', () => {
  test.each([
    ['run ${{ x }}'],
    ['@run "quoted" ${{ x }} && more ${{ y }}'],
    ['set "A=1"\r\nrun ${{ x }}'],
    ['if exist a run ${{ x }}'],
  ])('can stand in %j', (script) => {
    expect(at(script, 'cmd')).toEqual([]);
  });

  test.each([
    ['run "${{ x }}"', 'within quotes'],
    ['set A=${{ x }}', 'after a command of cmd itself'],
    ['run & @call other ${{ x }}', 'after a command of cmd itself'],
    ['for %%A in (${{ x }}) do run', 'after a command of cmd itself'],
    ['run ^${{ x }}', 'right after "^"'],
  ])('cannot stand in %j', (script, where) => {
    expect(at(script, 'cmd')).toEqual([where]);
  });
});
