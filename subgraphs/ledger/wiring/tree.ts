import { checkpointFiles } from '../adapters/checkpoint-files.js';
import { WitnessQuorum } from '../adapters/witness/witness-quorum.js';
import { incarnationId } from '../model/checkpoint-repository.js';
import { CHECKPOINT_COLLECTION, INCARNATION_COLLECTION } from '../model/tree-model.js';
import { mongoTreeStore } from '../model/tree-repository.js';
import { CheckpointResolver } from '../resolvers/checkpoint-resolver.js';
import { IncarnationResolver } from '../resolvers/incarnation-resolver.js';
import { CheckpointViews } from '../service/checkpoint-views.js';
import { keepTrees } from '../service/keep-trees.js';
import { TreeKeeper } from '../service/tree-keeper.js';
import { TileCache } from '../service/tree-tiles.js';
import type { WireArea } from './parts.js';

/** An idle deployment looks this often; one at work stays at it, see keep-trees.ts. */
const LOOK_INTERVAL_MS = 5_000;
const OWNER_BYTES = 9;

/** The tree over all chains of a tenant, its signed checkpoints, and proofs. */
export const wireTree: WireArea = ({ deps, store, contexts, openExceptions, outbox }) => {
  const { dir, witnesses, quorum } = deps.config.checkpoints;
  const trees = mongoTreeStore(deps.database.db);
  const cache = new TileCache();
  const keeper = new TreeKeeper({
    ...deps,
    deployment: deps.config.origin,
    owner: Buffer.from(deps.randomness.fill(new Uint8Array(OWNER_BYTES))).toString('base64url'),
    contexts,
    trees,
    cache,
    openExceptions,
    outbox,
    collection: CHECKPOINT_COLLECTION,
    files: dir === null ? null : checkpointFiles(dir),
    witnesses: witnesses.length === 0 ? null : new WitnessQuorum(deps, witnesses, quorum),
  });
  deps.jobs.recurring({
    name: 'ledger.tree',
    description: 'Gives entries their places in the tree of their tenant, and publishes signed checkpoints.',
    everyMs: LOOK_INTERVAL_MS,
    run: (signal) => keepTrees({ ...deps, store, keeper }, signal),
  });
  const declaring = { ...deps, trees, outbox, collection: INCARNATION_COLLECTION, idOf: incarnationId };
  const views = new CheckpointViews(deps.signingKeys);
  return {
    resolvers: [
      [CheckpointResolver, new CheckpointResolver({ contexts, trees, cache, keeper, views })],
      [IncarnationResolver, new IncarnationResolver(declaring)],
    ],
    figures: () => keeper.figures(),
  };
};
