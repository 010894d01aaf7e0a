import { compact } from '../values/payload.js';
import { type Fields, fieldsAt, textAt } from './json/objects.js';

/** What Parameters of Da Vinci CDex (`$submit-attachment`) say of all attachments in them. */
export interface Submission {
  /** The identifier of the member at the payer; null if absent, or if two are stated. */
  readonly member: Fields | null;
  readonly described: Readonly<Record<string, unknown>>;
}

/** The parameters that are read: each has one value. */
const NAMES: Readonly<Record<string, string>> = {
  TrackingId: 'tracking_id',
  AttachTo: 'attach_to',
  PayerId: 'payer_id',
  OrganizationId: 'organization_id',
  ProviderId: 'provider_id',
  ServiceDate: 'service_date',
};

/** Collects the parameters of one submission, in any order. */
export class SubmissionReader {
  readonly #members = new Map<string, Fields>();
  readonly #described: Record<string, unknown> = {};

  /** Takes one parameter that is no resource. */
  take(parameter: Fields): void {
    const name = textAt(parameter, 'name');
    const identifier = fieldsAt(parameter, 'valueIdentifier');
    const value = textAt(identifier, 'value');
    if (name === 'MemberId' && value !== '') this.#members.set(`${textAt(identifier, 'system')}|${value}`, identifier);
    const kept = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    if (kept === undefined) return;
    this.#described[kept] =
      value || textAt(parameter, 'valueCode') || textAt(parameter, 'valueDateTime') || textAt(parameter, 'valueDate');
  }

  /** Null if the Parameters are no submission. */
  get submission(): Submission | null {
    const described = compact(this.#described);
    if (this.#members.size === 0 && !Object.hasOwn(described, 'tracking_id')) return null;
    const [member] = this.#members.values();
    return { member: this.#members.size === 1 && member !== undefined ? member : null, described };
  }
}
