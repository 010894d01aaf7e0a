import type { LedgerRecord, WantedBlock } from '../../../shared/contracts/ledger-records.js';
import { BLOCK_LEAVES, inclusionLine } from '../../../shared/evidence/bundle/inclusion.js';
import { ledgerLine } from '../../../shared/evidence/bundle/tsv.js';
import type { SpoolFile } from '../archive/index.js';
import type { Build, BuildDeps } from './build-deps.js';

/** Each block has 8 KiB of leaf hashes, and at most as much of entry hashes. */
const BLOCKS_A_CALL = 64;

/** Collects leaves in tree order, and writes the proofs of whole blocks. */
export class BlockQueue {
  readonly #deps: Pick<BuildDeps, 'ledgerRecords'>;
  readonly #build: Pick<Build, 'tenantId' | 'frozen'>;
  readonly #file: SpoolFile;
  readonly #blocks: { readonly block: number; readonly offsets: number[]; readonly entry_hashes: string[] }[] = [];

  constructor(deps: Pick<BuildDeps, 'ledgerRecords'>, build: Pick<Build, 'tenantId' | 'frozen'>, file: SpoolFile) {
    this.#deps = deps;
    this.#build = build;
    this.#file = file;
  }

  async add(treeIndex: number, entryHash: string): Promise<void> {
    const block = Math.floor(treeIndex / BLOCK_LEAVES);
    let last = this.#blocks.at(-1);
    if (last?.block !== block) {
      if (this.#blocks.length >= BLOCKS_A_CALL) await this.finish();
      last = { block, offsets: [], entry_hashes: [] };
      this.#blocks.push(last);
    }
    last.offsets.push(treeIndex % BLOCK_LEAVES);
    last.entry_hashes.push(entryHash);
  }

  /** Writes the collected blocks. */
  async finish(): Promise<void> {
    const wanted: WantedBlock[] = this.#blocks.splice(0);
    if (wanted.length === 0) return;
    const { tenantId, frozen } = this.#build;
    const proofs = await this.#deps.ledgerRecords.inclusion(tenantId, frozen.checkpoint, wanted);
    for (const proof of proofs) await this.#file.write(inclusionLine(proof));
  }
}

/** Returns the row of ledger.tsv of a record. @param seed ships only with a fully disclosed event */
export function ledgerRow(record: LedgerRecord, tree_index: number, seed: string | null): string {
  const { event_id, source_system, seq, recorded_at, commit, fields, member_tag, prev_hash: prev, entry_hash } = record;
  const header = { event_id, source_system, seq, recorded_at, commit, fields, member_tag, prev };
  return ledgerLine({ ...header, seed, entry_hash, tree_index });
}
