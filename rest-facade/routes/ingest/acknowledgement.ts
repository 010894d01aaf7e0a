import { isJsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import type { Route } from '../../route.js';
import { asksFor } from '../../streams/streamed-answer.js';

/** Media types of acknowledgements (mapping.md section 4), and the other names that a client may ask for them by. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'application/edi-x12': ['application/edi-x12'],
  'application/hl7-v2': ['application/hl7-v2', 'x-application/hl7-v2+er7'],
  'application/fhir+json': ['application/fhir+json'],
  'application/x-ncpdp': ['application/x-ncpdp'],
  'application/xml': ['application/xml'],
};

const DESCRIPTION = 'The acknowledgement alone, where it is of this type; the JSON answer otherwise.';

const MEDIA: Route['otherMedia'] = Object.fromEntries(
  Object.keys(NAMES).map((mediaType) => [mediaType, { schema: { type: 'string' }, description: DESCRIPTION }]),
);

/** Routes whose answer holds an acknowledgement also give it bare, for a sender's system that reads no JSON. */
export const bareAcknowledgement: Pick<Route, 'otherMedia' | 'restate'> = {
  otherMedia: MEDIA ?? {},
  restate: (answer, accept) => {
    const { acknowledgement } = isJsonObject(answer as JsonValue) ? (answer as Record<string, JsonValue>) : {};
    if (acknowledgement === undefined || !isJsonObject(acknowledgement)) return null;
    const { media_type, content } = acknowledgement;
    if (typeof media_type !== 'string' || typeof content !== 'string') return null;
    const asked = (NAMES[media_type] ?? [media_type]).find((name) => asksFor(accept, name));
    return asked === undefined ? null : { mediaType: asked, text: content };
  },
};
