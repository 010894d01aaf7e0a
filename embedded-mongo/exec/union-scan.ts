import type { DocumentScan } from './document-scan.js';
import { RidSet } from './rid-set.js';

const noBytes = Buffer.alloc(0);

/** The documents of several scans one after the other, each once: `$or` whose branches have an index each. */
export class UnionScan implements DocumentScan {
  raw: Buffer = noBytes;
  rid = 0;
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
    for (let branch = this.branches[this.position]; branch; branch = this.branches[++this.position]) {
      while (branch.next()) {
        if (!this.seen.add(branch.rid)) continue;
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
