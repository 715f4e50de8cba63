// ARX's whole job, as whole.py compares it: read a CSV file and hierarchies, find the optimum in loss, write a CSV file.
// java -cp ARX:FOLDER Whole TABLE HIERARCHIES K SUPPRESSION OUTPUT, where javac -cp ARX -d FOLDER Whole.java compiled it
import java.io.File;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

public class Whole {
    public static void main(String[] given) throws Exception {
        Data data = Data.create(given[0], StandardCharsets.UTF_8, ';');
        DataHandle read = data.getHandle();
        for (int column = 0; column < read.getNumColumns(); column++) {
            String name = read.getAttributeName(column);
            File file = new File(given[1], "adult_hierarchy_" + name + ".csv");
            boolean kept = name.equals("salary-class");
            data.getDefinition().setAttributeType(name, kept ? AttributeType.INSENSITIVE_ATTRIBUTE
                : Hierarchy.create(file, StandardCharsets.UTF_8, ';'));
        }
        ARXConfiguration config = ARXConfiguration.create();
        config.addPrivacyModel(new KAnonymity(Integer.parseInt(given[2])));
        config.setSuppressionLimit(Double.parseDouble(given[3]));
        config.setQualityModel(Metric.createLossMetric(0.5d, Metric.AggregateFunction.ARITHMETIC_MEAN));
        ARXResult result = new ARXAnonymizer().anonymize(data, config);
        DataHandle output = result.getOutput(false);
        output.save(given[4], ';');
    }
}
