import { z } from 'zod';
import { EDX_FORMATS, type EdxFormatName } from '../../../shared/evidence/edx/edx-formats.js';
import { EDX_VERSION } from '../../../shared/evidence/edx/edx-json.js';
import type { JsonSchema } from '../../../shared/graph/json-schema.js';
import type { ExtendRoute } from '../../graph-route.js';
import { EXPORT_EXAMPLES } from '../../openapi/text-examples.js';
import { edxAnswer } from '../../streams/edx-answer.js';

/** Row of the root field `bundleExport`. */
const BundleExport = z.object({
  bundle_id: z.string(),
  worm_blob_sha256: z.string(),
  size: z.int(),
  format: z.string().refine((name): name is EdxFormatName => Object.hasOwn(EDX_FORMATS, name)),
  prefix: z.string().nullable(),
  volume: z.int(),
  member_ids: z.array(z.string()),
});
export type BundleExport = z.infer<typeof BundleExport>;

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
    manifest: { type: 'object', description: 'manifest.json as sealed.' },
    edrm: {
      type: 'object',
      description: 'The structure of EDRM XML 1.2.',
      required: ['Documents', 'Relationships'],
      properties: {
        Documents: {
          type: 'array',
          items: {
            type: 'object',
            required: ['DocID', 'Tags', 'Files', 'Locations'],
            examples: [{ DocID: 'EAS-0000001', Tags: [], Files: [], Locations: [] }],
          },
        },
        Relationships: {
          type: 'array',
          items: {
            type: 'object',
            required: ['ParentDocId', 'ChildDocId'],
            examples: [{ Type: 'Attachment', ParentDocId: 'EAS-0000001', ChildDocId: 'EAS-0000002' }],
          },
        },
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
      examples: [{ prefix: 'EAS', count: 2, first: 'EAS-0000001', last: 'EAS-0000002' }],
    },
    custody: {
      type: 'object',
      required: ['case_jsonld'],
      properties: {
        case_jsonld: { type: 'object', required: ['@context', '@graph'], examples: [{ '@context': {}, '@graph': [] }] },
      },
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

/** The graph returns the row; the export is streamed from the stored archive (design.md decision 1). */
export const getBundleEdx: ExtendRoute = (route) => {
  const others = Object.values(EDX_FORMATS).filter(({ mediaType }) => mediaType !== 'application/json');
  return {
    response: { ...route.response, schema: JSON_EXPORT },
    otherMedia: Object.fromEntries(
      others.map(({ mediaType, description }) => [mediaType, { description, example: EXPORT_EXAMPLES[mediaType] }]),
    ),
    handle: async (call) => {
      const row = await call.read(BundleExport, { ...call.query, bundle_id: call.params['id'] });
      return edxAnswer(call, row);
    },
  };
};
