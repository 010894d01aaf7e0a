/** Place of an entry in its chain. */
interface ChainPlace {
  readonly source_system: string;
  readonly seq: number;
}

/** Places of one chain that lie close together, from the first to the last sequence. */
interface PlaceRun {
  readonly source_system: string;
  readonly from: number;
  readonly to: number;
}

interface PlaceRuns<Place> {
  readonly runs: readonly PlaceRun[];
  readonly others: readonly Place[];
}

/** A run reads at most twice as many rows as it is asked for: reading a row along the chain costs a third of a look-up. */
const MAX_STEP = 2;
/** Shorter runs do not pay for a query of their own. */
const MIN_RUN_PLACES = 32;

/** Splits places into runs, which are read along their chains, and others, which are looked up one by one. */
export function runsOf<Place extends ChainPlace>(places: readonly Place[]): PlaceRuns<Place> {
  const runs: PlaceRun[] = [];
  const others: Place[] = [];
  let run: Place[] = [];
  const end = (): void => {
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) return;
    if (run.length < MIN_RUN_PLACES) others.push(...run);
    else runs.push({ source_system: first.source_system, from: first.seq, to: last.seq });
  };
  for (const place of [...places].sort(inChainOrder)) {
    const last = run.at(-1);
    // A row that someone edited may name a place without members.
    if (last !== undefined && last.source_system === place.source_system && place.seq - last.seq <= MAX_STEP) {
      run.push(place);
    } else {
      end();
      run = [place];
    }
  }
  end();
  return { runs, others };
}

const inChainOrder = (a: ChainPlace, b: ChainPlace): number =>
  a.source_system === b.source_system ? a.seq - b.seq : a.source_system < b.source_system ? -1 : 1;
