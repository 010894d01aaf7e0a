import type { Unit } from './splitter-sink.js';

/** What is seen of a document or entry while its bytes go by, and the parse will not show. */
export class UnitFacts {
  tooDeep = false;
  surrogates = false;
  readonly inexact: number[] = [];
  /** Where the resource of an entry begins and ends; -1 until it does. */
  resourceFrom = -1;
  resourceTo = -1;

  unit(about: Pick<Unit, 'kind' | 'start' | 'members' | 'documentNumber' | 'entryNumber' | 'bytes'>): Unit {
    const { kind, start, bytes, members, documentNumber, entryNumber } = about;
    const end = start + bytes.length;
    const { tooDeep, surrogates, inexact } = this;
    const found =
      this.resourceTo === -1 ? { from: start, to: start } : { from: this.resourceFrom, to: this.resourceTo };
    const resource = kind === 'document' ? { from: start, to: end } : found;
    // Named one by one: a spread of what was just made costs more than all else here.
    return {
      kind,
      start,
      end,
      resource,
      members,
      tooDeep,
      surrogates,
      inexact,
      documentNumber,
      entryNumber,
      bytes,
    };
  }
}
