import { matterStore } from '../model/matter-repository.js';
import { MatterResolver } from '../resolvers/matter-resolver.js';
import { RecordTiesResolver } from '../resolvers/record-ties-resolver.js';
import type { WireArea } from './parts.js';

/** Legal matters: what belongs to one case. */
export const wireMatters: WireArea = ({ deps, bundles, outbox }) => {
  const matters = matterStore(deps.database.db, outbox);
  return {
    resolvers: [
      [MatterResolver, new MatterResolver({ ...deps, matters, bundles })],
      [RecordTiesResolver, new RecordTiesResolver({ matters, bundles })],
    ],
  };
};
