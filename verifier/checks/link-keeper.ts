import { genesisHash } from '../hashing/links.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';

/** An entry's place in its chain. */
interface Link {
  readonly subject: string;
  readonly source: string;
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  /** Absent if unknown. */
  readonly recordedAt?: string;
}

/**
 * Checks the links of each chain: order, neighbours, genesis and head. Missing sequence numbers are other members' entries,
 * not breaks (evidence.md section 5).
 */
export class LinkKeeper {
  readonly #last = new Map<string, Link>();
  readonly #heads: ReadonlyMap<string, { readonly seq: number; readonly hash: string }>;
  readonly #genesis = new Map<string, string>();
  adjacent = 0;

  constructor(private readonly context: BundleContext) {
    this.#heads = new Map(context.manifest.head.ledger.heads.map((head) => [head.source_system, head]));
  }

  add(link: Link): void {
    const last = this.#last.get(link.source);
    // An entry about several subjects of the bundle has a row for each subject.
    const again =
      last?.seq === link.seq && last.hash === link.hash && last.prev === link.prev && link.recordedAt === undefined;
    if (again) return;
    this.#last.set(link.source, link);
    if (link.seq === 1 && link.prev !== this.#genesisOf(link.source)) {
      this.#broken(link, 'GENESIS_MISMATCH', 'does not begin the chain of this log, source and tenant');
    }
    this.#checkHead(link);
    if (last === undefined) return;
    if (link.seq <= last.seq) this.#broken(link, 'ORDER', `stands after ${last.seq}`);
    if (link.seq === last.seq + 1) {
      this.adjacent++;
      if (link.prev !== last.hash) this.#broken(link, 'LINK_MISMATCH', 'does not link to the entry before it');
    }
    if (last.recordedAt !== undefined && link.recordedAt !== undefined && link.recordedAt < last.recordedAt) {
      this.#broken(link, 'TIME_REVERSED', `was recorded before ${last.seq}`);
    }
  }

  #broken({ subject, source, seq }: Link, code: string, what: string): void {
    this.context.findings.broken('chain', code, printable(subject), `${printable(source)} ${seq} ${what}`);
  }

  #genesisOf(source: string): string {
    const { platform, manifest } = this.context;
    let genesis = this.#genesis.get(source);
    if (genesis === undefined) {
      genesis = genesisHash(platform, manifest.head.ledger.origin, source, manifest.head.tenant_id);
      this.#genesis.set(source, genesis);
    }
    return genesis;
  }

  #checkHead(link: Link): void {
    const head = this.#heads.get(link.source);
    if (head === undefined || link.seq > head.seq) {
      this.#broken(link, 'HEAD_MISMATCH', 'lies beyond the head that the manifest names');
    } else if (link.seq === head.seq && link.hash !== head.hash) {
      this.#broken(link, 'HEAD_MISMATCH', 'is not the head that the manifest names');
    }
  }
}
