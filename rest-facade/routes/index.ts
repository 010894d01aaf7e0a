import type { ContractDocument } from '../../shared/graph/json-schema.js';
import type { Route, RouteMaker } from '../route.js';
import { changeActor } from './actors/change-actor.js';
import { createActor } from './actors/create-actor.js';
import { getActor } from './actors/get-actor.js';
import { giveRole } from './actors/give-role.js';
import { listActors } from './actors/list-actors.js';
import { takeRole } from './actors/take-role.js';
import { checkGuideline } from './advocacy/check-guideline.js';
import { explainEvent } from './advocacy/explain-event.js';
import { recodeEvent } from './advocacy/recode-event.js';
import { exportAiDecision } from './ai-decisions/export-ai-decision.js';
import { exportAiDecisions } from './ai-decisions/export-ai-decisions.js';
import { getAiDecision } from './ai-decisions/get-ai-decision.js';
import { listAiDecisions } from './ai-decisions/list-ai-decisions.js';
import { overrideAiDecision } from './ai-decisions/override-ai-decision.js';
import { recordAiDecision } from './ai-decisions/record-ai-decision.js';
import { summariseAiDecisions } from './ai-decisions/summarise-ai-decisions.js';
import { createApiKey } from './api-keys/create-api-key.js';
import { getApiKey } from './api-keys/get-api-key.js';
import { listApiKeys } from './api-keys/list-api-keys.js';
import { revokeApiKey } from './api-keys/revoke-api-key.js';
import { rotateApiKey } from './api-keys/rotate-api-key.js';
import { createAppointment } from './appointments/create-appointment.js';
import { getAppointment } from './appointments/get-appointment.js';
import { listAppointments } from './appointments/list-appointments.js';
import { appointmentSteps } from './appointments/step-appointment.js';
import { requestAvaAccess } from './ava-access/request-ava-access.js';
import { revokeAvaAccess } from './ava-access/revoke-ava-access.js';
import { verifyAvaAccess } from './ava-access/verify-ava-access.js';
import { diffBundles } from './bundles/diff-bundles.js';
import { downloadBundle } from './bundles/download-bundle.js';
import { getBundle } from './bundles/get-bundle.js';
import { getBundleEdx } from './bundles/get-bundle-edx.js';
import { getBundleTimestamp } from './bundles/get-bundle-timestamp.js';
import { listBundles } from './bundles/list-bundles.js';
import { regenerateBundle } from './bundles/regenerate-bundle.js';
import { requestBundle } from './bundles/request-bundle.js';
import { verifyBundleSignature } from './bundles/verify-bundle-signature.js';
import { createCareTeamEntry } from './care-team/create-care-team-entry.js';
import { getCareTeamEntry } from './care-team/get-care-team-entry.js';
import { listCareTeam } from './care-team/list-care-team.js';
import { careTeamSteps } from './care-team/step-care-team-entry.js';
import { createConnector } from './connectors/create-connector.js';
import { deleteConnector } from './connectors/delete-connector.js';
import { disableConnector } from './connectors/disable-connector.js';
import { enableConnector } from './connectors/enable-connector.js';
import { getConnector } from './connectors/get-connector.js';
import { listConnectors } from './connectors/list-connectors.js';
import { receiveFhir } from './connectors/receive-fhir.js';
import { testConnector } from './connectors/test-connector.js';
import { updateConnector } from './connectors/update-connector.js';
import { checkConsent } from './consent/check-consent.js';
import { getConsentPolicy, putConsentPolicy } from './consent/consent-policy.js';
import { createConsent } from './consent/create-consent.js';
import { getConsent } from './consent/get-consent.js';
import { listConsents } from './consent/list-consents.js';
import { revokeConsent } from './consent/revoke-consent.js';
import { listCustody } from './custody/list-custody.js';
import { recordCustody } from './custody/record-custody.js';
import { verifyCustody } from './custody/verify-custody.js';
import { getDashboard } from './dashboard/get-dashboard.js';
import { getDataRight } from './data-rights/get-data-right.js';
import { listDataRights } from './data-rights/list-data-rights.js';
import { listDisclosures } from './data-rights/list-disclosures.js';
import { receiveDataRight } from './data-rights/receive-data-right.js';
import { dataRightSteps } from './data-rights/step-data-right.js';
import { attachDocument } from './documents/attach-document.js';
import { detachDocument } from './documents/detach-document.js';
import { getDocument } from './documents/get-document.js';
import { getDocumentMetadata } from './documents/get-document-metadata.js';
import { listDocuments } from './documents/list-documents.js';
import { postDocument } from './documents/post-document.js';
import { getEvent } from './events/get-event.js';
import { getEventLinks } from './events/get-event-links.js';
import { getEventRaw } from './events/get-event-raw.js';
import { listEvents } from './events/list-events.js';
import { postEvents } from './events/post-events.js';
import { validateEvent } from './events/validate-event.js';
import { assignException } from './exceptions/assign-exception.js';
import { getException } from './exceptions/get-exception.js';
import { listExceptions } from './exceptions/list-exceptions.js';
import { markKnownGap } from './exceptions/mark-known-gap.js';
import { resolveException } from './exceptions/resolve-exception.js';
import { deleteFeatureFlag } from './feature-flags/delete-feature-flag.js';
import { evaluateFlags } from './feature-flags/evaluate-flags.js';
import { getFeatureFlag } from './feature-flags/get-feature-flag.js';
import { listFeatureFlags } from './feature-flags/list-feature-flags.js';
import { putFeatureFlag } from './feature-flags/put-feature-flag.js';
import { exportGraph } from './graph/export-graph.js';
import { getGraphNeighbors } from './graph/get-graph-neighbors.js';
import { getGraphPaths } from './graph/get-graph-paths.js';
import { getGraphSubgraph } from './graph/get-graph-subgraph.js';
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
import { declareIncarnation } from './ledger/declare-incarnation.js';
import { getCheckpoint, getLatestCheckpoint } from './ledger/get-checkpoint.js';
import { getConsistency } from './ledger/get-consistency.js';
import { getEventProof } from './ledger/get-event-proof.js';
import { listCheckpoints } from './ledger/list-checkpoints.js';
import { listPartitions } from './ledger/list-partitions.js';
import { verifyLedger } from './ledger/verify-ledger.js';
import { getHold } from './legal-holds/get-hold.js';
import { listHolds } from './legal-holds/list-holds.js';
import { listTombstones } from './legal-holds/list-tombstones.js';
import { placeHold } from './legal-holds/place-hold.js';
import { releaseHold } from './legal-holds/release-hold.js';
import { updateHold } from './legal-holds/update-hold.js';
import { closeLegalMatter } from './legal-matters/close-legal-matter.js';
import { createLegalMatter } from './legal-matters/create-legal-matter.js';
import { getLegalMatter } from './legal-matters/get-legal-matter.js';
import { legalMatterLinks } from './legal-matters/legal-matter-links.js';
import { listLegalMatters } from './legal-matters/list-legal-matters.js';
import { updateLegalMatter } from './legal-matters/update-legal-matter.js';
import { logoutMember } from './member-auth/logout-member.js';
import { refreshMemberAuth } from './member-auth/refresh-member-auth.js';
import { startMemberAuth } from './member-auth/start-member-auth.js';
import { verifyMemberAuth } from './member-auth/verify-member-auth.js';
import { createMember } from './members/create-member.js';
import { getMember } from './members/get-member.js';
import { getMemberTimeline } from './members/get-member-timeline.js';
import { listMemberHistory } from './members/list-member-history.js';
import { listMembers } from './members/list-members.js';
import { matchMember } from './members/match-member.js';
import { mergeMembers } from './members/merge-members.js';
import { searchMembers } from './members/search-members.js';
import { unmergeMembers } from './members/unmerge-members.js';
import { updateMember } from './members/update-member.js';
import { ofrepEvaluateAll } from './ofrep/evaluate-all.js';
import { ofrepEvaluateOne } from './ofrep/evaluate-one.js';
import { listQuarantine } from './quarantine/list-quarantine.js';
import { rejectDocument } from './quarantine/reject-document.js';
import { releaseDocument } from './quarantine/release-document.js';
import { applyRedaction } from './redactions/apply-redaction.js';
import { discardRedaction } from './redactions/discard-redaction.js';
import { draftRedaction } from './redactions/draft-redaction.js';
import { getRedaction } from './redactions/get-redaction.js';
import { listRedactions } from './redactions/list-redactions.js';
import { updateRedaction } from './redactions/update-redaction.js';
import { getRetentionPolicies } from './retention/get-policies.js';
import { putRetentionPolicies } from './retention/put-policies.js';
import { sweepRetention } from './retention/sweep.js';
import { changeRole } from './roles/change-role.js';
import { createRole } from './roles/create-role.js';
import { deleteRole } from './roles/delete-role.js';
import { getRole } from './roles/get-role.js';
import { listRoles } from './roles/list-roles.js';
import { getRule } from './rules/get-rule.js';
import { getRuleRevision } from './rules/get-rule-revision.js';
import { listRuleRevisions } from './rules/list-rule-revisions.js';
import { listRules } from './rules/list-rules.js';
import { putRule } from './rules/put-rule.js';
import { search } from './search/search.js';
import { activateSigningKey } from './signing-keys/activate-signing-key.js';
import { createSigningKey } from './signing-keys/create-signing-key.js';
import { getJwks } from './signing-keys/get-jwks.js';
import { getSigningKey } from './signing-keys/get-signing-key.js';
import { listSigningKeys } from './signing-keys/list-signing-keys.js';
import { retireSigningKey } from './signing-keys/retire-signing-key.js';
import { revokeSigningKey } from './signing-keys/revoke-signing-key.js';
import { createSourceFeed } from './source-feeds/create-source-feed.js';
import { deleteSourceFeed } from './source-feeds/delete-source-feed.js';
import { getSourceFeed } from './source-feeds/get-source-feed.js';
import { sourceFeedHeartbeat } from './source-feeds/heartbeat.js';
import { listSourceFeeds } from './source-feeds/list-source-feeds.js';
import { sweepSourceFeeds } from './source-feeds/sweep-source-feeds.js';
import { updateSourceFeed } from './source-feeds/update-source-feed.js';
import { getHealth } from './system/get-health.js';
import { getOpenApi } from './system/get-openapi.js';
import { getReadiness } from './system/get-readiness.js';
import { postGraphql } from './system/post-graphql.js';
import { changeTenant } from './tenants/change-tenant.js';
import { createTenant } from './tenants/create-tenant.js';
import { getTenant } from './tenants/get-tenant.js';
import { listTenants } from './tenants/list-tenants.js';
import { createWebhook } from './webhooks/create-webhook.js';
import { deleteWebhook } from './webhooks/delete-webhook.js';
import { getDelivery } from './webhooks/get-delivery.js';
import { getWebhook } from './webhooks/get-webhook.js';
import { listDeliveries } from './webhooks/list-deliveries.js';
import { listEventTypes } from './webhooks/list-event-types.js';
import { listWebhooks } from './webhooks/list-webhooks.js';
import { recoverWebhook } from './webhooks/recover-webhook.js';
import { redeliverWebhook } from './webhooks/redeliver.js';
import { rotateWebhookSecret } from './webhooks/rotate-secret.js';
import { testWebhook } from './webhooks/test-webhook.js';
import { updateWebhook } from './webhooks/update-webhook.js';

/** Every route there is; a new one is its file and its line here. */
const ROUTES: readonly RouteMaker[] = [
  postEvents,
  validateEvent,
  listEvents,
  getEvent,
  getEventRaw,
  getEventLinks,
  listPartitions,
  verifyLedger,
  listCheckpoints,
  getLatestCheckpoint,
  getCheckpoint,
  getConsistency,
  getEventProof,
  declareIncarnation,
  search,
  draftRedaction,
  listRedactions,
  getRedaction,
  updateRedaction,
  discardRedaction,
  applyRedaction,
  listCustody,
  recordCustody,
  verifyCustody,
  listExceptions,
  getException,
  assignException,
  resolveException,
  markKnownGap,
  postRaw,
  getIngest,
  listIngestResults,
  postDocument,
  listDocuments,
  getDocument,
  getDocumentMetadata,
  attachDocument,
  detachDocument,
  listQuarantine,
  releaseDocument,
  rejectDocument,
  createConnector,
  listConnectors,
  getConnector,
  updateConnector,
  deleteConnector,
  enableConnector,
  disableConnector,
  testConnector,
  receiveFhir,
  createSourceFeed,
  listSourceFeeds,
  sweepSourceFeeds,
  getSourceFeed,
  updateSourceFeed,
  deleteSourceFeed,
  sourceFeedHeartbeat,
  recordAiDecision,
  listAiDecisions,
  summariseAiDecisions,
  exportAiDecisions,
  getAiDecision,
  overrideAiDecision,
  exportAiDecision,
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
  getGraphNeighbors,
  getGraphSubgraph,
  getGraphPaths,
  exportGraph,
  ofrepEvaluateOne,
  ofrepEvaluateAll,
  createLead,
  listAppointments,
  createAppointment,
  getAppointment,
  ...appointmentSteps,
  listCareTeam,
  createCareTeamEntry,
  getCareTeamEntry,
  ...careTeamSteps,
  listDataRights,
  receiveDataRight,
  getDataRight,
  listDisclosures,
  ...dataRightSteps,
  listConsents,
  createConsent,
  checkConsent,
  getConsentPolicy,
  putConsentPolicy,
  getConsent,
  revokeConsent,
  startMemberAuth,
  verifyMemberAuth,
  refreshMemberAuth,
  logoutMember,
  requestAvaAccess,
  verifyAvaAccess,
  revokeAvaAccess,
  listLeads,
  getLead,
  updateLead,
  contactLead,
  qualifyLead,
  convertLead,
  closeLead,
  placeHold,
  listHolds,
  getHold,
  updateHold,
  releaseHold,
  listTombstones,
  getRetentionPolicies,
  putRetentionPolicies,
  sweepRetention,
  requestBundle,
  listBundles,
  getBundle,
  downloadBundle,
  diffBundles,
  regenerateBundle,
  verifyBundleSignature,
  getBundleEdx,
  getBundleTimestamp,
  createLegalMatter,
  listLegalMatters,
  getLegalMatter,
  updateLegalMatter,
  closeLegalMatter,
  ...legalMatterLinks,
  createMember,
  listMembers,
  searchMembers,
  matchMember,
  getMember,
  getMemberTimeline,
  updateMember,
  mergeMembers,
  unmergeMembers,
  listMemberHistory,
  explainEvent,
  checkGuideline,
  recodeEvent,
  putRule,
  listRules,
  getRule,
  listRuleRevisions,
  getRuleRevision,
  createWebhook,
  listWebhooks,
  listEventTypes,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  recoverWebhook,
  listDeliveries,
  getDelivery,
  redeliverWebhook,
  getDashboard,
  listJobs,
  getHealth,
  getReadiness,
  getOpenApi,
  postGraphql,
];

export const makeRoutes = (contract: ContractDocument): readonly Route[] => ROUTES.map((make) => make(contract));
