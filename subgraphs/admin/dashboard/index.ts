import type { AdminArea } from '../parts.js';
import { areaCounts } from './model.js';
import { DashboardResolver } from './resolver.js';
import { DayCount, NamedCount } from './schema.js';

/** Counts of a tenant. */
export const dashboardArea: AdminArea = {
  resolvers: [DashboardResolver],
  contractTypes: [NamedCount, DayCount],
  wire: (parts) => ({ resolvers: [new DashboardResolver({ ...parts, areas: areaCounts(parts.database.db) })] }),
};
