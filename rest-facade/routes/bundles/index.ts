import { Answer } from '../../route.js';
import { type RouteArea, routeTable } from '../../route-table.js';
import { timestampReply } from '../../timestamp-reply.js';
import { downloadBundle } from './bundle-content.js';
import { getBundleEdx } from './get-bundle-edx.js';
import { downloadShared } from './shared-bundle.js';

const BUNDLES: RouteArea = { area: 'bundles', id: 'bundle_id', reads: 'bundles:read', writes: 'bundles:request' };

export const bundleRoutes = routeTable(BUNDLES, {
  // The only route that answers 201 (specification, "Evidence bundle").
  'POST /v1/bundles': {
    summary: 'Request a bundle',
    description:
      'Send exactly one of member_id, matter_id and incident_id, and optionally a time window. A worker builds and seals the bundle. A scope without records gives a sealed, empty bundle, which is evidence too.',
    operation: { name: 'RequestBundle', field: 'requestBundle' },
    bodyTenantIn: 'scope',
    bodyExample: { scope: { member_id: 'M-1' }, bundle_type: 'MEMBER', requested_by: 'counsel@acme.test' },
    answer: 'The bundle, REQUESTED.',
    extend: (route) => ({ successStatus: 201, handle: async (call) => new Answer(201, await route.handle(call)) }),
  },
  'GET /v1/bundles': {
    summary: 'List bundles',
    operation: { name: 'ListBundles', field: 'bundles' },
    answer: 'One page of bundles, newest first by default.',
  },
  'GET /v1/bundles/{id}': {
    summary: 'Read one bundle',
    description:
      'Poll it until its status is SEALED, or FAILED with the reason; `progress` shows the state of the build.',
    operation: { name: 'GetBundle', field: 'bundle' },
    answer: 'The bundle.',
  },
  'GET /v1/bundles/{id}/download': {
    scope: 'bundles:export',
    summary: 'Download a sealed bundle',
    description:
      'The sealed ZIP; the ETag is its SHA-256. Recorded in custody (DOWNLOAD_BUNDLE) before the first byte is sent. 409 NOT_SEALED until it is sealed.',
    operation: { name: 'DownloadBundle', field: 'bundleArchive' },
    conflicts: true,
    answer: 'The ZIP.',
    extend: downloadBundle,
  },
  'POST /v1/bundles/{id}/links': {
    scope: 'bundles:export',
    summary: 'Make a link to a sealed bundle for another party',
    description:
      'The link opens the bundle without a key, for at most 720 hours, as long as the key or person that made it may download the bundle. Recorded in custody (SHARE) with the recipient. 403 like the download; readers of originals too may not share an archive that is older than a redaction.',
    operation: { name: 'ShareBundle', field: 'shareBundle' },
    bodyExample: {
      recipient: 'Roe & Partners LLP',
      purpose: 'Discovery in No. 24-cv-0001',
      expires_in_hours: 72,
      max_downloads: 10,
    },
    secretAnswer: true,
    conflicts: true,
    answer: 'The link with its token and address, which no other answer shows.',
    extend: (route) => ({ successStatus: 201, handle: async (call) => new Answer(201, await route.handle(call)) }),
  },
  'GET /v1/bundles/{id}/links': {
    summary: 'List the links to a bundle',
    operation: { name: 'ListBundleLinks', field: 'bundleLinks' },
    answer: 'One page of links without their tokens, newest first by default.',
  },
  'DELETE /v1/bundles/{id}/links/{link_id}': {
    scope: 'bundles:export',
    summary: 'Revoke a link to a bundle',
    description:
      'Final, at once. Recorded in custody (UNSHARE). Repeating it changes nothing. 409 INVALID_TRANSITION for a link that is used up.',
    operation: { name: 'RevokeBundleLink', field: 'revokeBundleLink' },
    conflicts: true,
    answer: 'The link, REVOKED.',
  },
  'GET /v1/shared-bundles/{token}': downloadShared,
  'GET /v1/bundles/{id}/diff': {
    summary: 'Compare two bundles over the same scope',
    description:
      'Compares the sealed manifests. 409 SCOPE_MISMATCH for another scope or purpose, NOT_SEALED until both are sealed.',
    operation: { name: 'DiffBundles', field: 'bundleDiff' },
    conflicts: true,
    answer: 'The entries that were added, removed and changed since the other bundle.',
  },
  'POST /v1/bundles/{id}/regenerate': {
    freeForm: 'kept',
    bodyOptional: true,
    summary: 'Build a bundle again',
    description:
      'A SEALED bundle gets a new bundle over the same scope; a FAILED one is built again under its id. 409 INVALID_TRANSITION while it is REQUESTED.',
    operation: { name: 'RegenerateBundle', field: 'regenerateBundle' },
    answer: 'The bundle to be built, REQUESTED.',
  },
  'POST /v1/bundles/{id}/verify-signature': {
    freeForm: 'ignored',
    scope: 'bundles:read',
    summary: 'Verify the stored copy of a bundle',
    description:
      'Runs the verifier that every bundle contains over the copy in the write-once store, with the current state of the signing key. Returns no bytes.',
    operation: { name: 'VerifyBundleSignature', field: 'verifyBundleSignature' },
    stopsWithClient: true,
    answer: 'Every check, and whether all of them pass.',
  },
  'GET /v1/bundles/{id}/edx': {
    scope: 'bundles:export',
    summary: 'Export a sealed bundle for electronic discovery',
    description:
      'Made from the sealed archive alone, so that every export of a bundle has the same content and control numbers. Recorded in custody (EXPORT_EDX) before the first byte is sent. 409 NOT_SEALED until it is sealed.',
    operation: { name: 'ExportBundle', field: 'bundleExport' },
    conflicts: true,
    answer: 'The export, in the requested form.',
    extend: getBundleEdx,
  },
  'GET /v1/bundles/{id}/timestamp': {
    summary: "The time-stamp of a sealed bundle's signature (RFC 3161)",
    description:
      'If the deployment configures a time-stamp authority, it signs the SHA-256 of signature.sig. `Accept: application/timestamp-reply` returns the bare reply, for `verify --timestamp` and `openssl ts -verify`.',
    operation: { name: 'GetBundleTimestamp', field: 'bundleTimestamp' },
    conflicts: true,
    answer: 'The time-stamp, or its state.',
    extend: timestampReply,
  },
});
