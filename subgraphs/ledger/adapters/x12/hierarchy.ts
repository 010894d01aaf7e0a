import { stateOf } from './codes.js';
import { parseDate } from './dates.js';
import type { Party } from './parties.js';
import { type Segment, segmentKey } from './segment.js';

/** One HL of a hierarchy, with the person or organisation that it names. */
export interface Level {
  id: string;
  /** HL03: 20 payer, 21 receiver, 19 provider, 22 subscriber, 23 dependent, PT patient, EV event, SS service. */
  code: string;
  parent: Level | null;
  party: Party | null;
  /** False when something in it was lost: then it names nobody, and neither does what stands under it. */
  trusted: boolean;
}

/** Levels that later ones may hang on. A guide's order needs few; files in other orders stay in constant memory. */
const rememberedLevels = 1000;

const n4 = segmentKey('N4');
const dmg = segmentKey('DMG');
const prv = segmentKey('PRV');

/** The HL levels of a 278, 277 or 271, found by HL02. Where they do not say whose an item is, the answer is nobody. */
export class Hierarchy {
  current: Level | null = null;
  private readonly known = new Map<string, Level>();

  open(segment: Segment): Level {
    const id = segment.value(1);
    const parentId = segment.value(2);
    const parent = parentId === '' ? null : (this.known.get(parentId) ?? null);
    // A parent that never came, or was forgotten, leaves open whose this is.
    const level = { id, code: segment.value(3), parent, party: null, trusted: parentId === '' || parent !== null };
    // An HL id used again names the later level alone.
    this.known.delete(id);
    if (segment.value(4) !== '0') this.known.set(id, level);
    if (this.known.size > rememberedLevels) {
      const [oldest] = this.known.keys();
      if (oldest !== undefined) this.known.delete(oldest);
    }
    this.current = level;
    return level;
  }

  /** Something was lost: neither this level nor what hangs on it is anybody's. */
  distrust(): void {
    for (let level = this.current; level !== null; level = level.parent) level.trusted = false;
    this.current = null;
  }
}

/** The level itself or the nearest one above it with one of these codes. */
export function levelAbove(level: Level | null, ...codes: string[]): Level | null {
  for (let at = level; at !== null; at = at.parent) if (codes.includes(at.code)) return at;
  return null;
}

/** Whose an item under this level is: the dependent's own id, else the subscriber's; '' where nobody is named for sure. */
export function memberOf(level: Level | null): { memberId: string; subscriber: Party | null; patient: Party | null } {
  for (let at = level; at !== null; at = at.parent) {
    if (!at.trusted) return { memberId: '', subscriber: null, patient: null };
  }
  const patient = levelAbove(level, '23')?.party ?? null;
  const subscriber = levelAbove(level, '22', 'PT')?.party ?? null;
  return { memberId: patient?.id || subscriber?.id || '', subscriber, patient };
}

/** What N4, DMG and PRV add to the party before them. */
export function readPartyDetail(party: Party, segment: Segment): void {
  if (segment.key === n4) party.state = stateOf(segment.value(2), segment.value(4));
  else if (segment.key === dmg) {
    party.birthDate = parseDate(segment.value(2)) ?? '';
    party.gender = segment.value(3);
  } else if (segment.key === prv) party.taxonomy = segment.value(3);
}
