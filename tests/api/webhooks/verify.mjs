// Reads cases of {secret, headers, body} and says for each whether the public verifier accepts it.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const cases = JSON.parse(readFileSync(0, "utf8"));
const verdicts = cases.map(({ secret, headers, body }) => {
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  try {
    new Webhook(secret).verify(body, lowered);
    return true;
  } catch {
    return false;
  }
});
process.stdout.write(JSON.stringify(verdicts));
