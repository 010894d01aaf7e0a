import type { ContractDocument } from '../../shared/graph/json-schema.js';
import type { Route, RouteMaker } from '../route.js';
import { actorRoutes, roleRoutes } from './actors.js';
import { advocacyRoutes } from './advocacy.js';
import { aiDecisionRoutes } from './ai-decisions.js';
import { apiKeyRoutes } from './api-keys.js';
import { appointmentRoutes } from './appointments.js';
import { bundleRoutes } from './bundles/index.js';
import { careTeamRoutes } from './care-team.js';
import { connectorRoutes } from './connectors/index.js';
import { consentRoutes } from './consent.js';
import { custodyRoutes } from './custody.js';
import { dashboardRoutes, jobRoutes } from './dashboard.js';
import { dataRightRoutes } from './data-rights.js';
import { documentRoutes, quarantineRoutes } from './documents/index.js';
import { eventRoutes } from './events/index.js';
import { exceptionRoutes } from './exceptions.js';
import { featureFlagRoutes } from './feature-flags/index.js';
import { graphRoutes } from './graph.js';
import { ingestRoutes } from './ingest/index.js';
import { leadRoutes } from './leads.js';
import { ledgerRoutes } from './ledger/index.js';
import { holdNoticeRoutes, legalHoldRoutes } from './legal/holds.js';
import { legalMatterRoutes } from './legal/matters.js';
import { avaAccessRoutes, memberAuthRoutes } from './member-access.js';
import { memberRoutes } from './members/index.js';
import { questionRoutes } from './questions/index.js';
import { redactionRoutes } from './redactions.js';
import { retentionRoutes } from './retention.js';
import { ruleRoutes } from './rules.js';
import { savedViewRoutes } from './saved-views.js';
import { searchRoutes } from './search/index.js';
import { sessionRoutes } from './sessions/index.js';
import { signingKeyRoutes } from './signing-keys.js';
import { sourceFeedRoutes } from './source-feeds.js';
import { systemRoutes } from './system/index.js';
import { tenantRoutes } from './tenants.js';
import { webhookRoutes } from './webhooks.js';

/** All routes, area by area. A new route is an entry in the table of its area. */
const ROUTES: readonly RouteMaker[] = [
  ...eventRoutes,
  ...ledgerRoutes,
  ...searchRoutes,
  ...questionRoutes,
  ...redactionRoutes,
  ...custodyRoutes,
  ...exceptionRoutes,
  ...ingestRoutes,
  ...documentRoutes,
  ...quarantineRoutes,
  ...connectorRoutes,
  ...sourceFeedRoutes,
  ...aiDecisionRoutes,
  ...tenantRoutes,
  ...actorRoutes,
  ...roleRoutes,
  ...apiKeyRoutes,
  ...sessionRoutes,
  ...signingKeyRoutes,
  ...featureFlagRoutes,
  ...graphRoutes,
  ...leadRoutes,
  ...savedViewRoutes,
  ...appointmentRoutes,
  ...careTeamRoutes,
  ...dataRightRoutes,
  ...consentRoutes,
  ...memberAuthRoutes,
  ...avaAccessRoutes,
  ...legalHoldRoutes,
  ...holdNoticeRoutes,
  ...retentionRoutes,
  ...bundleRoutes,
  ...legalMatterRoutes,
  ...memberRoutes,
  ...advocacyRoutes,
  ...ruleRoutes,
  ...webhookRoutes,
  ...dashboardRoutes,
  ...jobRoutes,
  ...systemRoutes,
];

export const makeRoutes = (contract: ContractDocument): readonly Route[] => ROUTES.map((make) => make(contract));
