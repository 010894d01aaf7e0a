import type { LedgerArea, WireArea } from '../parts.js';
import { checkpointFiles } from './adapters/checkpoint-files.js';
import { WitnessQuorum } from './adapters/witness-quorum.js';
import { CheckpointViews } from './checkpoint-views.js';
import { keepTrees } from './keep-trees.js';
import { incarnationId } from './model/checkpoint-store.js';
import { CHECKPOINT_COLLECTION, INCARNATION_COLLECTION } from './model/collections.js';
import { checkpointRejecter } from './reject-checkpoint.js';
import { CheckpointResolver } from './resolvers/checkpoint-resolver.js';
import { EventProofResolver } from './resolvers/event-proof-resolver.js';
import { IncarnationResolver } from './resolvers/incarnation-resolver.js';
import { TreeKeeper } from './tree-keeper.js';
import { TileCache } from './tree-tiles.js';

/** Interval of looks in ms for an idle deployment; a busy one runs continuously, see keep-trees.ts. */
const LOOK_INTERVAL_MS = 5_000;
const OWNER_BYTES = 9;

const wire: WireArea = ({ deps, store, contexts, trees, openExceptions, outbox, stateMap }) => {
  const { dir, witnesses, quorum, maps } = deps.config.checkpoints;
  const cache = new TileCache();
  const keeper = new TreeKeeper({
    ...deps,
    deployment: deps.config.origin,
    owner: Buffer.from(deps.randomness.fill(new Uint8Array(OWNER_BYTES))).toString('base64url'),
    contexts,
    trees,
    cache,
    maps: maps ? stateMap.commits : null,
    openExceptions,
    outbox,
    collection: CHECKPOINT_COLLECTION,
    files: dir === null ? null : checkpointFiles(dir),
    witnesses: witnesses.length === 0 ? null : new WitnessQuorum(deps, witnesses, quorum),
  });
  deps.jobs.recurring({
    name: 'ledger.tree',
    description: 'Assigns entries their places in the tree of their tenant, and publishes signed checkpoints.',
    everyMs: LOOK_INTERVAL_MS,
    run: (signal) => keepTrees({ ...deps, store, keeper }, signal),
  });
  const declaring = { ...deps, trees, outbox, collection: INCARNATION_COLLECTION, idOf: incarnationId };
  const views = new CheckpointViews(deps.signingKeys, checkpointRejecter(openExceptions));
  return {
    resolvers: [
      new CheckpointResolver({ contexts, trees, cache, keeper, views }),
      new EventProofResolver({ contexts, trees, cache, views }),
      new IncarnationResolver(declaring),
      stateMap.resolverOver({
        force: (tenantId) => keeper.force(tenantId),
        shown: (tenantId, row) => views.of(tenantId, row),
      }),
    ],
    figures: () => keeper.figures(),
  };
};

/** The tree over all chains of a tenant, its signed checkpoints and proofs. */
export const transparencyArea: LedgerArea = {
  resolvers: [CheckpointResolver, EventProofResolver, IncarnationResolver],
  collectionsWithEffects: [CHECKPOINT_COLLECTION, INCARNATION_COLLECTION],
  wire,
};
