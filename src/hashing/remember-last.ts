/** Remembers its last answer: the hashes of one system share their parameters. What it throws it tries again. */
export function rememberLast<T>(answerTo: (text: string) => T): (text: string) => T {
  let last: { text: string; answer: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, answer: answerTo(text) };
    return last.answer;
  };
}
