import type { MembersArea } from '../parts.js';
import { learnModels, MatchModels } from './match-models.js';
import { matchModelStore } from './model.js';
import { MatchResolver } from './resolver.js';

const LEARN_EVERY_MS = 600_000;

/** Search and matching of members, and the job that learns their weights. */
export const searchArea: MembersArea = {
  resolvers: [MatchResolver],
  wire: ({ deps, stores }) => {
    const models = matchModelStore(deps.database.db);
    deps.jobs.recurring({
      name: 'members.learn',
      description: "Learns the weights of matching and the frequency of names from each tenant's directory.",
      everyMs: LEARN_EVERY_MS,
      run: (signal) => learnModels({ ...deps, ...stores, models }, signal),
    });
    const services = { ...stores, models: new MatchModels(models, deps.clock), thresholds: deps.config.matching };
    return { resolvers: [new MatchResolver(services)] };
  },
};
