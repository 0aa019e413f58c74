/** What code page 437 has from 0x80 on. */
const UPPER_HALF =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const BYTES = new Map([...UPPER_HALF].map((character, index) => [character, 0x80 + index]));

/** Text in the code page of DOS. Undefined: it has a character that is not in it. */
export function toCodePage437(text: string): Buffer | undefined {
  const bytes = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x80 ? code : BYTES.get(character);
  });
  return bytes.some((byte) => byte === undefined) ? undefined : Buffer.from(bytes as number[]);
}
