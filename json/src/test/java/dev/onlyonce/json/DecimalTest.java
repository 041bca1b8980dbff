package dev.onlyonce.json;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecimalTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0, 0",
    "-0.000e-7, 0",
    "0e999999999999999999999999, 0",
    "1, 1",
    "1.0, 1",
    "1e0, 1",
    "10e-1, 1",
    "0.1e+1, 1",
    "-12.50, -12.5",
    "100, 100",
    "1e2, 100",
    "1234.5678, 1234.5678",
    "0.001, 0.001",
    "1e-6, 0.000001",
    "1e-7, 1e-7",
    "0.00000012, 1.2e-7",
    "1e20, 100000000000000000000",
    "123456789012345678901, 123456789012345678901",
    "1e21, 1e+21",
    "1234567890123456789012, 1.234567890123456789012e+21",
    "1234567890123456789012.5, 1.2345678901234567890125e+21",
    "123456789012345678901.25, 123456789012345678901.25",
    "9007199254740993, 9007199254740993",
    "9007199254740993.0, 9007199254740993",
    "1e0000000000000000000000001, 10",
    "10e999999999, 1e+1000000000",
    "1e-999999999999999999, 1e-999999999999999999",
    "333333333.33333329, 333333333.33333329"
  })
  void a_value_has_one_spelling(String spelling, String canonical) {
    assertThat(canonical(spelling)).isEqualTo(canonical);
  }

  @Test
  void an_exponent_of_more_than_18_digits_is_refused() {
    assertThat(append("1e1000000000000000000", new Bytes())).isFalse();
    assertThat(append("1e-1000000000000000000", new Bytes())).isFalse();
  }

  @Test
  void spellings_are_equal_exactly_if_the_values_are() {
    RandomJson random = new RandomJson(1);
    Map<String, RandomJson.Numeral> seen = new HashMap<>();
    for (int i = 0; i < 5_000; i++) {
      RandomJson.Numeral number = random.number();
      String canonical = canonical(random.spell(number));
      assertThat(canonical(random.spell(number))).isEqualTo(canonical);
      assertThat(canonical(canonical)).isEqualTo(canonical);
      assertThat(new BigDecimal(canonical))
          .isEqualByComparingTo(new BigDecimal(number.digits()).scaleByPowerOfTen(number.power()));
      RandomJson.Numeral before = seen.put(canonical, number);
      assertThat(before == null || before.equals(number)).isTrue();
    }
  }

  @Test
  void no_exponent_makes_a_number_long() {
    for (int power = -100; power < 100; power++) {
      assertThat(canonical("12345e" + power)).hasSizeLessThan(5 + 21);
    }
  }

  private static String canonical(String spelling) {
    Bytes out = new Bytes();
    assertThat(append(spelling, out)).isTrue();
    return new String(out.array, 0, out.size, US_ASCII);
  }

  private static boolean append(String spelling, Bytes out) {
    String padded = "9" + spelling + "9";
    return Decimal.append(padded.toCharArray(), 1, spelling.length(), out);
  }
}
