import { type ClassType, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import { isJsonObject } from '../../../../shared/json/strict-json.js';
import { EventRecord } from '../../events/schema.js';
import { payloadView } from '../schema/payload-field.js';
import {
  AuthorizationPayload,
  ClaimPayload,
  ClinicalPayload,
  PharmacyPayload,
  RemittancePayload,
} from '../schema/payloads.js';

const GRAPH_ONLY = { [CONTRACT]: { graphOnly: true } satisfies ContractExtension };

const viewed = (family: string) => ({
  nullable: true,
  description: `The payload with typed fields, for an event of family \`${family}\`; null for any other event.`,
});

/**
 * Typed views of the payload. Each is read from the event that the caller sees, so it holds nothing that a redaction or
 * consent hides from the caller's payload.
 */
@Resolver(() => EventRecord)
export class EventPayloadResolver {
  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => ClaimPayload, viewed('claim'))
  claim_payload(@Root() event: EventRecord): ClaimPayload | null {
    return viewOf(ClaimPayload, 'claim', event);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => RemittancePayload, viewed('remittance'))
  remittance_payload(@Root() event: EventRecord): RemittancePayload | null {
    return viewOf(RemittancePayload, 'remittance', event);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => AuthorizationPayload, viewed('prior_authorization'))
  authorization_payload(@Root() event: EventRecord): AuthorizationPayload | null {
    return viewOf(AuthorizationPayload, 'prior_authorization', event);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => PharmacyPayload, viewed('pharmacy'))
  pharmacy_payload(@Root() event: EventRecord): PharmacyPayload | null {
    return viewOf(PharmacyPayload, 'pharmacy', event);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => ClinicalPayload, viewed('clinical'))
  clinical_payload(@Root() event: EventRecord): ClinicalPayload | null {
    return viewOf(ClinicalPayload, 'clinical', event);
  }
}

/** Families are compared without regard to case. */
function viewOf<View extends object>(
  type: ClassType<View>,
  family: string,
  { event_family, payload }: EventRecord,
): View | null {
  if (event_family?.toLowerCase() !== family || !isJsonObject(payload)) return null;
  return payloadView(type, payload);
}
