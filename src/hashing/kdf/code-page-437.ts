/** Characters of code page 437 (DOS) from 0x80 to 0xff. */
const UPPER_HALF =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const BYTES = new Map([...UPPER_HALF].map((character, index) => [character, 0x80 + index]));

/** Returns undefined if code page 437 lacks a character. */
export function toCodePage437(text: string): Buffer | undefined {
  const bytes = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x80 ? code : BYTES.get(character);
  });
  return bytes.some((byte) => byte === undefined) ? undefined : Buffer.from(bytes as number[]);
}
