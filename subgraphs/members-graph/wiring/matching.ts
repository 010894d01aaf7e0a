import { matchModelStore } from '../model/match-model-model.js';
import { memberStore } from '../model/member-repository.js';
import { mergeStore } from '../model/merge-model.js';
import { MatchResolver } from '../resolvers/match-resolver.js';
import { learnModels } from '../service/members/learn-model.js';
import { MatchModels } from '../service/members/match-models.js';
import type { WireArea } from './parts.js';

/** A directory is looked at this often; it is read through when it has grown. */
const LEARN_EVERY_MS = 600_000;

/** Who a record is of, and who somebody types; and the weights behind both. */
export const wireMatching: WireArea = ({ deps, outbox }) => {
  const { db } = deps.database;
  const stores = { members: memberStore(db, outbox), merges: mergeStore(db, outbox) };
  const models = matchModelStore(db);
  deps.jobs.recurring({
    name: 'members.learn',
    description: "Learns the weights of matching from each tenant's own directory, and how common its names are.",
    everyMs: LEARN_EVERY_MS,
    run: (signal) => learnModels({ ...deps, ...stores, models }, signal),
  });
  const services = { ...stores, models: new MatchModels(models, deps.clock), thresholds: deps.config.matching };
  return { resolvers: [[MatchResolver, new MatchResolver(services)]] };
};
