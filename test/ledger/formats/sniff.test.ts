import { describe, expect, it } from '@jest/globals';
import { formatOfMediaType, sniffFormat } from '../../../subgraphs/ledger/formats/domain.js';
import { chooseFormat } from '../../../subgraphs/ledger/ingest/choose-format.js';

const ISA =
  'ISA*00*          *00*          *ZZ*A              *ZZ*B              *260302*1411*^*00501*000000001*0*P*:~';

describe('the format of a body', () => {
  it.each([
    ['x12', ISA],
    ['x12', `\ufeff \r\n${ISA}`],
    ['x12', 'GS*HC*A*B*20260302*1411*1*X*005010X222A1~'],
    ['x12', 'ST*837*0001~'],
    ['hl7v2', 'MSH|^~\\&|A|B'],
    ['hl7v2', '\u000bBHS#^~\\&#A'],
    ['fhir', '{ "id": "1", "resourceType": "Claim" }'],
    ['fhir', '<Claim xmlns="http://hl7.org/fhir"><identifier><system value="urn:NCPDP"/></identifier></Claim>'],
    ['fhir', '\ufeff<?xml version="1.0"?>\n<!-- ncpdp --><f:Patient id="a"\n xmlns:f="http://hl7.org/fhir"/>'],
    ['ncpdp', '<?xml version="1.0"?><Message xmlns="http://www.ncpdp.org/schema/SCRIPT"><Body/></Message>'],
    ['ncpdp', '<Message xmlns="http://www.ncpdp.org/schema/SCRIPT"><Header/></Message>'],
    ['ncpdp', '<Message><Header/><Body/></Message>'],
    ['ncpdp', '<s:Message><s:Body/></s:Message>'],
    ['ncpdp', '610066D0B1          1011234567893     20260302          \u001e\u001cAM04'],
    ['ncpdp', '61006699F6B1          1011234567893     20260302          \u001e\u001cAM04'],
    ['ncpdp', 'F6B11A011234567893     20260302\u001d\u001e\u001cAM21'],
    ['ncpdp', `\u000200T${'SYNSENDER'.padEnd(24)}0000001202603021200P12${'SYNPLAN'.padEnd(24)}\u0003`],
    [undefined, 'ISABEL was here'],
    [undefined, '{"events":[]}'],
    [undefined, '<html></html>'],
    [undefined, 'MSHA'],
  ])('is detected from the bytes as %s', (format, body) => {
    expect(sniffFormat(Buffer.from(body))).toBe(format);
  });

  it('is taken from a specific Content-Type only', () => {
    expect(formatOfMediaType('Application/EDI-X12; charset=utf-8')).toBe('x12');
    expect(formatOfMediaType('application/hl7-v2')).toBe('hl7v2');
    expect(formatOfMediaType('text/plain')).toBeUndefined();
  });

  it('prefers the parameter to the Content-Type; neither may contradict the bytes', () => {
    const head = Buffer.from(ISA);
    expect(chooseFormat({ format: 'X12', contentType: 'application/fhir+json' }, head)).toBe('x12');
    expect(chooseFormat({ contentType: 'text/plain' }, head)).toBe('x12');
    const errors = (stated: { format?: string; contentType?: string }) => {
      try {
        return chooseFormat(stated, head);
      } catch (error) {
        return (error as { details: { errors: { message: string }[] } }).details.errors[0]?.message;
      }
    };
    expect(errors({ format: 'hl7v2' })).toBe('The format given is hl7v2; the body looks like x12.');
    expect(errors({ contentType: 'application/fhir+json' })).toBe('The format given is fhir; the body looks like x12.');
  });
});
