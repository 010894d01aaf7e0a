/** An 837 professional claim of 2010 with a word as its claim number. */
export function claimOf(word: string, member: string): string {
  const transaction = [
    'ST*837*0001*005010X222A1',
    'BHT*0019*00*DEMO0001*20100302*0930*CH',
    'NM1*41*2*NORTH CLINIC*****46*100200300',
    'PER*IC*BILLING OFFICE*TE*5555550100',
    'NM1*40*2*SUMMIT HEALTH PLAN*****46*900800700',
    'HL*1**20*1',
    'NM1*85*2*NORTH CLINIC*****XX*1234567893',
    'N3*100 EXAMPLE AVENUE',
    'N4*ALBANY*NY*12207',
    'REF*EI*001234567',
    'HL*2*1*22*0',
    'SBR*P*18*GRP-100******16',
    `NM1*IL*1*SAMPLE*AVERY****MI*${member}`,
    'N3*1 SYNTHETIC STREET',
    'N4*ALBANY*NY*12208',
    'DMG*D8*19500214*F',
    'NM1*PR*2*SUMMIT HEALTH PLAN*****PI*SUMMIT01',
    `CLM*${word}*1250***11:B:1*Y*A*Y*Y`,
    'HI*ABK:I509',
    'LX*1',
    'SV1*HC:93306*1250*UN*1***1',
    'DTP*472*D8*20100224',
  ];
  const segments = [
    'ISA*00*          *00*          *ZZ*NORTHCLINIC    *ZZ*SUMMITPLAN     *100302*0930*^*00501*000071001*0*T*:',
    'GS*HC*NORTHCLINIC*SUMMITPLAN*20100302*0930*7101*X*005010X222A1',
    ...transaction,
    `SE*${transaction.length + 1}*0001`,
    'GE*1*7101',
    'IEA*1*000071001',
  ];
  return segments.map((segment) => `${segment}~\n`).join('');
}
