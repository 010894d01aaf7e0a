import type { Comparable } from './comparable.js';
import { nysiis } from './nysiis.js';

// Keys for what a person types: a name with a slip of the finger shares a key with the name as it is, because each stands
// under itself and under itself less any one letter (SymSpell's deletions).

/** Names together with the initial of the other: few members share one. */
export function narrowNameKeys({ given, family }: Comparable, bothWays: boolean): readonly string[] {
  const ways = bothWays
    ? [
        [given.whole, family.whole],
        [family.whole, given.whole],
      ]
    : [[given.whole, family.whole]];
  const keys = new Set<string>();
  for (const [first = '', last = ''] of ways) {
    if (first === '' || last === '') continue;
    for (const form of deletions(last)) keys.add(`nf:${form}|${first[0]}`);
    for (const form of deletions(first)) keys.add(`ng:${form}|${last[0]}`);
    keys.add(`nF:${nysiis(last)}|${first[0]}`).add(`nG:${nysiis(first)}|${last[0]}`);
  }
  return [...keys];
}

/** Each name alone: for a name that is missing, or is another one altogether. */
export function wideNameKeys({ given, family }: Comparable): readonly string[] {
  const keys = new Set<string>();
  for (const name of new Set([given.whole, family.whole, ...given.parts, ...family.parts])) {
    if (name.length < 2) continue;
    for (const form of deletions(name)) keys.add(`w:${form}`);
    keys.add(`W:${nysiis(name)}`);
  }
  return [...keys];
}

/** The name, and the name less each one letter; names of three letters and fewer have too many neighbours. */
function deletions(name: string): Set<string> {
  const forms = new Set([name]);
  if (name.length < 4) return forms;
  for (let index = 0; index < name.length; index++) forms.add(name.slice(0, index) + name.slice(index + 1));
  return forms;
}
