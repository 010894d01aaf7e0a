import { EDX_FORMATS, type EdxFormatName } from '../../../shared/evidence/edx/edx-formats.js';
import { EDX_VERSION } from '../../../shared/evidence/edx/edx-json.js';
import type { ContractDocument, JsonSchema } from '../../../shared/graph/json-schema.js';
import { graphRoute } from '../../graph-route.js';
import type { Route } from '../../route.js';
import { edxAnswer } from '../../streams/edx-answer.js';

/** Row of the root field `bundleExport`. */
export interface BundleExport {
  readonly bundle_id: string;
  readonly worm_blob_sha256: string;
  readonly size: number;
  readonly format: EdxFormatName;
  readonly prefix: string | null;
  readonly member_ids: readonly string[];
}

const JSON_EXPORT: JsonSchema = {
  type: 'object',
  required: [
    'edx_version',
    'bundle_id',
    'worm_blob_sha256',
    'control_numbers',
    'manifest',
    'edrm',
    'load_files',
    'custody',
    'fhir',
  ],
  properties: {
    edx_version: { const: EDX_VERSION },
    bundle_id: { type: 'string' },
    worm_blob_sha256: { type: 'string' },
    manifest: { type: 'object', description: 'manifest.json as it was sealed.' },
    edrm: {
      type: 'object',
      description: 'The structure of EDRM XML 1.2.',
      required: ['Documents', 'Relationships'],
      properties: {
        Documents: { type: 'array', items: { type: 'object', required: ['DocID', 'Tags', 'Files', 'Locations'] } },
        Relationships: { type: 'array', items: { type: 'object', required: ['ParentDocId', 'ChildDocId'] } },
      },
    },
    load_files: {
      type: 'object',
      description: 'The load files themselves: Concordance DAT and CSV.',
      required: ['dat', 'csv'],
      properties: { dat: { type: 'string' }, csv: { type: 'string' } },
    },
    control_numbers: {
      type: 'object',
      required: ['prefix', 'count', 'first', 'last'],
      properties: { prefix: { type: 'string' }, count: { type: 'integer' } },
    },
    custody: {
      type: 'object',
      required: ['case_jsonld'],
      properties: { case_jsonld: { type: 'object', required: ['@context', '@graph'] } },
    },
    fhir: {
      type: 'object',
      required: ['audit_events', 'provenance'],
      properties: {
        audit_events: { type: 'array', items: { type: 'object' } },
        provenance: { type: 'array', items: { type: 'object' } },
      },
    },
  },
};

/** The graph gives the row; the export is written out of the stored archive as it is read (design.md decision 1). */
export function getBundleEdx(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'GET',
    path: '/v1/bundles/{id}/edx',
    area: 'bundles',
    scope: 'bundles:export',
    tenant: 'required',
    summary: 'Export a sealed bundle for electronic discovery',
    description:
      'From the sealed archive alone, so that every export of a bundle says the same, under the same control numbers. Recorded in custody (EXPORT_EDX) before the first byte leaves. 409 NOT_SEALED before the seal.',
    operation: { name: 'ExportBundle', field: 'bundleExport' },
    params: { id: 'bundle_id' },
    conflicts: true,
    answer: 'The export, in the form asked for.',
  })(contract);
  const others = Object.values(EDX_FORMATS).filter(({ mediaType }) => mediaType !== 'application/json');
  return {
    ...route,
    response: { ...route.response, schema: JSON_EXPORT },
    otherMedia: Object.fromEntries(
      others.map(({ mediaType, description }) => [mediaType, { schema: { type: 'string' }, description }]),
    ),
    handle: async (call) => {
      const row = await call.run({ ...call.query, bundle_id: call.params['id'] });
      return edxAnswer(call, row as BundleExport);
    },
  };
}
