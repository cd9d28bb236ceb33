/**
 * Patterns of names, as shells know them. `*` is any text, `?` one character, `[a-c]` one of these characters, `[!a-c]` one of all others.
 * A `[` that is not closed is a character like others.
 */
type Part = '*' | ((character: string) => boolean);

/** Takes no longer than the product of both lengths, whatever the pattern is. */
export function createNamePattern(pattern: string): (name: string) => boolean {
  const parts = [...partsOf(pattern)];
  return (name) => isMatch(parts, [...name]);
}

const SET = /^\[(!?)(\]?[^\]]*)\]/;

function* partsOf(pattern: string): Generator<Part> {
  for (let rest = pattern; rest !== ''; ) {
    const [set = '', negation = '', members = ''] = SET.exec(rest) ?? [];
    const [first = ''] = rest;
    if (set !== '' && members !== '') {
      const isMember = membership(members);
      yield negation === '' ? isMember : (character) => !isMember(character);
      rest = rest.slice(set.length);
      continue;
    }
    yield partOf(first);
    rest = rest.slice(first.length);
  }
}

function partOf(character: string): Part {
  if (character === '*') return '*';
  return character === '?' ? () => true : (other) => other === character;
}

function membership(members: string): (character: string) => boolean {
  const ranges = [...members.matchAll(/(.)-(.)|(.)/gsu)].map(([, from, to, only]) => ({
    from: from ?? only ?? '',
    to: to ?? only ?? '',
  }));
  return (character) => ranges.some(({ from, to }) => from <= character && character <= to);
}

/** After a mismatch only the last `*` has to take one character more: what earlier ones took can stay. */
function isMatch(parts: readonly Part[], name: readonly string[]): boolean {
  let at = 0;
  let part = 0;
  let retry: { readonly part: number; at: number } | null = null;
  while (at < name.length) {
    const current = parts[part];
    if (current === '*') {
      part += 1;
      retry = { part, at };
    } else if (current?.(name[at] ?? '') === true) {
      part += 1;
      at += 1;
    } else if (retry !== null) {
      retry.at += 1;
      ({ part, at } = retry);
    } else {
      return false;
    }
  }
  return parts.slice(part).every((left) => left === '*');
}
