import type { Item } from './item.js';
import { ItemMapper } from './item-mapper.js';
import { describePerson, Hierarchy, type Level, memberOf, type Party } from './parties.js';

/** Maps a set with items that belong to HL levels (278, 276, 277, 270, 271). */
export abstract class LevelMapper<T extends Item> extends ItemMapper<T> {
  protected readonly hierarchy = new Hierarchy();
  /** The party that the next N4, DMG or PRV describes. */
  protected party: Party | null = null;

  /** The lost segment may have been an HL or NM1: the patient of the rest is unknown. */
  protected override distrust(): void {
    this.hierarchy.distrust();
  }

  /** The member of an item, with both persons in a payload. */
  protected peopleOf(level: Level | null) {
    const { memberId, subscriber, patient } = memberOf(level);
    const people = {
      subscriber: subscriber && describePerson(subscriber),
      patient: patient && describePerson(patient),
    };
    return { memberId, subscriber, patient, people };
  }
}
