import { type DocumentScan, maxRepeats } from './document-scan.js';
import { RidSet } from './rid-set.js';

const noBytes = Buffer.alloc(0);

/** The documents of several scans one after the other, each once: `$or` whose branches have an index each. */
export class UnionScan implements DocumentScan {
  raw: Buffer = noBytes;
  rid = 0;
  repeated = false;
  private position = 0;
  private readonly seen = new RidSet();

  constructor(readonly branches: readonly DocumentScan[]) {}

  get keysExamined(): number {
    return this.branches.reduce((sum, branch) => sum + branch.keysExamined, 0);
  }

  get docsExamined(): number {
    return this.branches.reduce((sum, branch) => sum + branch.docsExamined, 0);
  }

  next(): boolean {
    this.repeated = false;
    let repeats = 0;
    for (let branch = this.branches[this.position]; branch; branch = this.branches[++this.position]) {
      while (branch.next()) {
        if (branch.repeated || !this.seen.add(branch.rid)) {
          this.repeated = branch.repeated || ++repeats === maxRepeats;
          if (this.repeated) return true;
          continue;
        }
        this.rid = branch.rid;
        this.raw = branch.raw;
        return true;
      }
    }
    return false;
  }

  suspend(): void {
    this.branches[this.position]?.suspend();
  }
}
