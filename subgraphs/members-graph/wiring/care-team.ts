import { careTeamStore } from '../model/care-team-model.js';
import { CareTeamResolver } from '../resolvers/care-team-resolver.js';
import type { WireArea } from './parts.js';

/** Who cares for members, as what, and since when. */
export const wireCareTeam: WireArea = ({ deps, directory, outbox }) => {
  const careTeam = careTeamStore(deps.database.db, outbox);
  return { resolvers: [[CareTeamResolver, new CareTeamResolver({ ...deps, directory, careTeam })]] };
};
