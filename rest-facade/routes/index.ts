import type { ContractDocument } from '../../shared/graph/json-schema.js';
import type { Route, RouteMaker } from '../route.js';
import { changeActor } from './actors/change-actor.js';
import { createActor } from './actors/create-actor.js';
import { getActor } from './actors/get-actor.js';
import { giveRole } from './actors/give-role.js';
import { listActors } from './actors/list-actors.js';
import { takeRole } from './actors/take-role.js';
import { createApiKey } from './api-keys/create-api-key.js';
import { getApiKey } from './api-keys/get-api-key.js';
import { listApiKeys } from './api-keys/list-api-keys.js';
import { revokeApiKey } from './api-keys/revoke-api-key.js';
import { rotateApiKey } from './api-keys/rotate-api-key.js';
import { getDashboard } from './dashboard/get-dashboard.js';
import { getEvent } from './events/get-event.js';
import { listEvents } from './events/list-events.js';
import { postEvents } from './events/post-events.js';
import { validateEvent } from './events/validate-event.js';
import { deleteFeatureFlag } from './feature-flags/delete-feature-flag.js';
import { evaluateFlags } from './feature-flags/evaluate-flags.js';
import { getFeatureFlag } from './feature-flags/get-feature-flag.js';
import { listFeatureFlags } from './feature-flags/list-feature-flags.js';
import { putFeatureFlag } from './feature-flags/put-feature-flag.js';
import { getIngest } from './ingest/get-ingest.js';
import { listIngestResults } from './ingest/list-ingest-results.js';
import { postRaw } from './ingest/post-raw.js';
import { listJobs } from './jobs/list-jobs.js';
import { closeLead } from './leads/close-lead.js';
import { contactLead } from './leads/contact-lead.js';
import { convertLead } from './leads/convert-lead.js';
import { createLead } from './leads/create-lead.js';
import { getLead } from './leads/get-lead.js';
import { listLeads } from './leads/list-leads.js';
import { qualifyLead } from './leads/qualify-lead.js';
import { updateLead } from './leads/update-lead.js';
import { listPartitions } from './ledger/list-partitions.js';
import { verifyLedger } from './ledger/verify-ledger.js';
import { ofrepEvaluateAll } from './ofrep/evaluate-all.js';
import { ofrepEvaluateOne } from './ofrep/evaluate-one.js';
import { changeRole } from './roles/change-role.js';
import { createRole } from './roles/create-role.js';
import { deleteRole } from './roles/delete-role.js';
import { getRole } from './roles/get-role.js';
import { listRoles } from './roles/list-roles.js';
import { activateSigningKey } from './signing-keys/activate-signing-key.js';
import { createSigningKey } from './signing-keys/create-signing-key.js';
import { getJwks } from './signing-keys/get-jwks.js';
import { getSigningKey } from './signing-keys/get-signing-key.js';
import { listSigningKeys } from './signing-keys/list-signing-keys.js';
import { retireSigningKey } from './signing-keys/retire-signing-key.js';
import { revokeSigningKey } from './signing-keys/revoke-signing-key.js';
import { getHealth } from './system/get-health.js';
import { getOpenApi } from './system/get-openapi.js';
import { getReadiness } from './system/get-readiness.js';
import { postGraphql } from './system/post-graphql.js';
import { changeTenant } from './tenants/change-tenant.js';
import { createTenant } from './tenants/create-tenant.js';
import { getTenant } from './tenants/get-tenant.js';
import { listTenants } from './tenants/list-tenants.js';

/** Every route there is; a new one is its file and its line here. */
const ROUTES: readonly RouteMaker[] = [
  postEvents,
  validateEvent,
  listEvents,
  getEvent,
  listPartitions,
  verifyLedger,
  postRaw,
  getIngest,
  listIngestResults,
  createTenant,
  listTenants,
  getTenant,
  changeTenant,
  createActor,
  listActors,
  getActor,
  changeActor,
  giveRole,
  takeRole,
  createRole,
  listRoles,
  getRole,
  changeRole,
  deleteRole,
  createApiKey,
  listApiKeys,
  getApiKey,
  rotateApiKey,
  revokeApiKey,
  createSigningKey,
  listSigningKeys,
  getJwks,
  getSigningKey,
  activateSigningKey,
  retireSigningKey,
  revokeSigningKey,
  listFeatureFlags,
  getFeatureFlag,
  putFeatureFlag,
  deleteFeatureFlag,
  evaluateFlags,
  ofrepEvaluateOne,
  ofrepEvaluateAll,
  createLead,
  listLeads,
  getLead,
  updateLead,
  contactLead,
  qualifyLead,
  convertLead,
  closeLead,
  getDashboard,
  listJobs,
  getHealth,
  getReadiness,
  getOpenApi,
  postGraphql,
];

export const makeRoutes = (contract: ContractDocument): readonly Route[] => ROUTES.map((make) => make(contract));
