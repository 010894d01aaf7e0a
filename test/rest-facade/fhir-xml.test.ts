import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fhirXml } from '../../rest-facade/streams/fhir-xml.js';
import { freshTenant } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
}, 240_000);
afterAll(() => service.stop());

const type = { 'content-type': 'application/fhir+xml' };
const patient =
  '<Patient xmlns="http://hl7.org/fhir"><id value="p"/><identifier><value value="SYN-1"/></identifier></Patient>';

describe('FHIR in XML', () => {
  it('is acknowledged in XML on request, in JSON inside the JSON answer', async () => {
    const { http } = await freshTenant(service.operator);
    const answer = await http.post('/v1/ingest/raw', patient, { ...type, accept: 'application/fhir+xml' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/fhir\+xml/),
    ]);
    expect(answer.text).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<OperationOutcome xmlns="http:\/\/hl7.org\/fhir"><issue><severity value="/,
    );
    const { json } = await http.post('/v1/ingest/raw', patient, type);
    expect(JSON.parse(json.acknowledgement.content)).toMatchObject({ resourceType: 'OperationOutcome' });
  });

  it('answers a transaction with a Bundle whose outcomes are resources', async () => {
    const { http } = await freshTenant(service.operator);
    const entry = `<entry><fullUrl value="urn:uuid:5a8d0e63-0d0c-4c2d-9a7e-3f1a2b3c4d5e"/><resource>${patient.replace(' xmlns="http://hl7.org/fhir"', '')}</resource><request><method value="POST"/><url value="Patient"/></request></entry>`;
    const bundle = `<Bundle xmlns="http://hl7.org/fhir"><type value="transaction"/>${entry}</Bundle>`;
    const answer = await http.post('/v1/ingest/raw', bundle, { ...type, accept: 'application/fhir+xml' });
    expect(answer.text).toMatch(/<Bundle xmlns="http:\/\/hl7.org\/fhir"><type value="transaction-response"\/>/);
    expect(answer.text).toMatch(/<response><status value="20[01][^"]*"\/>/);
  });

  it('escapes what XML reserves, also in line ends, and nests resources', () => {
    const outcome = {
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', details: { text: 'a "b" <c> & d\n' } }],
    };
    expect(
      fhirXml({ resourceType: 'Bundle', type: 'batch-response', entry: [{ response: { status: '400', outcome } }] }),
    ).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Bundle xmlns="http://hl7.org/fhir"><type value="batch-response"/><entry><response><status value="400"/>' +
        '<outcome><OperationOutcome><issue><severity value="error"/><details><text value="a &quot;b&quot; &lt;c> &amp; d&#10;"/></details></issue></OperationOutcome></outcome></response></entry></Bundle>',
    );
  });
});
