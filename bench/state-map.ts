import { sha256 } from '../shared/crypto/hash.js';
import { proveKeys } from '../shared/state-map/prove.js';
import { type MapEntry, type MapNodeName, type MapUpdate, updateMap } from '../shared/state-map/update.js';
import { mapProofFault } from '../shared/state-map/verify-proof.js';
import { describeRun, type Ratio, ratioOf, timed } from './support/measure.js';

// Measures the state map in memory, on one core: changed keys a second and proofs, among a million keys. The ratios
// compare with the aims of the map: 20,000 changed keys a second, and a proof within 2 ms at the median.

const KEYS = Number(process.env['BENCH_MAP_KEYS'] ?? 1_000_000);
const FILL_BATCH = 20_000;
/** Keys that one checkpoint changes under load. */
const CHANGED = 10_000;
const ROUNDS = 5;
const PROOFS = 2_000;
const AIM_PER_SECOND = 20_000;
const AIM_PROOF_MS = 2;

const keyOf = (n: number): Buffer => sha256(`bench key ${n}`);
const entryOf = (n: number, round: number): MapEntry => ({ key: keyOf(n), value: sha256(`value ${n} ${round}`) });

/** The nodes of the newest version. */
class Nodes {
  readonly #nodes = new Map<string, Buffer>();

  async read(names: readonly MapNodeName[]): Promise<readonly Buffer[]> {
    return names.map(({ path }) => this.#nodes.get(path) ?? Buffer.alloc(0));
  }

  keep({ written }: MapUpdate): void {
    for (const { path, bytes } of written) this.#nodes.set(path, bytes);
  }
}

/** Fills a map, then changes keys of it and proves keys of it. */
export async function benchStateMap(): Promise<readonly Ratio[]> {
  const nodes = new Nodes();
  let version = 0;
  let root: Buffer = Buffer.alloc(32);
  const change = async (entries: readonly MapEntry[]): Promise<number> => {
    const update = await updateMap(
      nodes,
      { from: version === 0 ? null : { version, root }, version: version + 1 },
      entries,
    );
    nodes.keep(update);
    version++;
    root = update.root;
    return entries.length;
  };
  for (let n = 0; n < KEYS; n += FILL_BATCH) {
    await change(Array.from({ length: Math.min(FILL_BATCH, KEYS - n) }, (_, i) => entryOf(n + i, 0)));
  }
  const updates = await changes(change);
  const proofs = await timed(PROOFS, 1, async (n) => {
    // Every other key is absent.
    const key = keyOf(n % 2 === 0 ? (n * 7919) % KEYS : KEYS + n);
    const [proof] = await proveKeys(nodes, version, [key]);
    const value = n % 2 === 0 ? (proof?.leaf?.value ?? null) : null;
    const fault = proof && mapProofFault({ root, key, value, proof });
    if (fault !== null) throw new Error(`the proof of key ${n} fails: ${fault}`);
    return 1;
  });
  const lines = [describeRun(`proofs among ${KEYS} keys, made and verified`, proofs)];
  return [updates, ratioOf('2 ms / proof at the median', 1, [[AIM_PROOF_MS, proofs.p50Ms]], lines)];
}

async function changes(change: (entries: readonly MapEntry[]) => Promise<number>): Promise<Ratio> {
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    // A prime stride spreads the changed keys; the numbers follow in no order of the map.
    const entries = Array.from({ length: CHANGED }, (_, i) => entryOf((i * 7919 + round) % KEYS, round));
    const run = await timed(1, 1, () => change(entries));
    pairs.push([run.perSecond, AIM_PER_SECOND]);
    lines.push(describeRun(`${CHANGED} changed keys among ${KEYS}`, run));
  }
  return ratioOf('changed keys a second / 20,000', 1, pairs, lines);
}
