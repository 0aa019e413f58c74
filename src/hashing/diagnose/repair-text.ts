/** Rewrites hexadecimal digits to unpadded base64. Returns any other text unchanged. */
export function hexToBase64(text: string): string {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return text;
  return Buffer.from(text, 'hex').toString('base64').replaceAll('=', '');
}

export function swapNames(items: readonly string[], a: string, b: string): string[] {
  return items.map((item) => {
    if (item.startsWith(`${a}=`)) return b + item.slice(a.length);
    if (item.startsWith(`${b}=`)) return a + item.slice(b.length);
    return item;
  });
}
